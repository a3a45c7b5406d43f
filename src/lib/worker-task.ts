import { MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { startHeartbeat } from './heartbeat.ts';
import { toSerializedError } from './serialized-error.ts';
import { waitForWorkers } from './worker-client.ts';
import type { MessageFromWorker, TaskProtocol, MessageToWorker } from './worker-messages.ts';

export interface TaskContext<T extends TaskProtocol> {
  /** Aborted when the task is cancelled. */
  readonly signal: AbortSignal;
  readonly post: (status: T['status']) => void;
  /** Calls a listener with all that was posted to the task, and will be. */
  readonly onMessage: (listener: (message: T['message']) => void) => void;
}

export interface TaskHandler<T extends TaskProtocol> {
  /** Carries out a task, which has a result or is a stream of items. */
  readonly run: (input: T['input'], context: TaskContext<T>) => Promise<T['result']> | AsyncIterable<T['item']>;
  /** Called after the last task. */
  readonly close?: () => Promise<void> | void;
}

/** A side of a `MessageChannel`, or what does as one does. */
interface TaskPort {
  on(event: 'message', listener: (messages: readonly unknown[]) => void): unknown;
  postMessage(messages: unknown): void;
  close(): void;
}

/** A task that is not done. */
class Running<T extends TaskProtocol> implements TaskContext<T> {
  readonly post: TaskContext<T>['post'];
  isCancelled = false;
  /** Items that were sent and are not taken yet. */
  ahead = 0;
  #cancelling: AbortController | undefined;
  readonly #unheard: T['message'][] = [];

  constructor(post: TaskContext<T>['post']) {
    this.post = post;
  }

  /** Called when an item is taken, and when the task is cancelled. */
  wake: () => void = () => undefined;
  deliver: (message: T['message']) => unknown = (message) => this.#unheard.push(message);
  readonly onMessage = (listener: (message: T['message']) => void): void => {
    this.#unheard.forEach(listener);
    this.deliver = listener;
  };

  /** Made at its first use: one for each append would cost more than all else in the thread. */
  get signal(): AbortSignal {
    this.#cancelling ??= new AbortController();
    if (this.isCancelled) this.#cancelling.abort();
    return this.#cancelling.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#cancelling?.abort();
    this.wake();
  }
}
type Start<T extends TaskProtocol> = Extract<MessageToWorker<T>, { readonly kind: 'start' }>;

/** Bounds how long the first of the tasks that are received together waits for the last. */
const MAX_TOGETHER = 1_000;

/** All messages that wait at a port, so that tasks begin together, and none that is cancelled already. */
const waitingAt = <T extends TaskProtocol>(
  port: TaskPort,
  first: readonly MessageToWorker<T>[],
): readonly MessageToWorker<T>[] => {
  if (!(port instanceof MessagePort)) return first;
  const messages = [...first];
  while (messages.length < MAX_TOGETHER) {
    const received = receiveMessageOnPort(port) as { readonly message: MessageToWorker<T>[] } | undefined;
    if (!received) break;
    messages.push(...received.message);
  }
  return messages;
};

const portOfThread = (): TaskPort => {
  if (!parentPort) throw new Error('This module runs in a worker thread');
  startHeartbeat();
  return parentPort;
};

/** Carries out the tasks that arrive at a port, by default this worker thread's, until it is to close. */
export const serveTasks = <T extends TaskProtocol>(
  { run, close }: TaskHandler<T>,
  port: TaskPort = portOfThread(),
): void => {
  const tasks = new Map<number, Running<T>>();
  let [isClosing, hasFailed] = [false, false];

  let outgoing: MessageFromWorker<T>[] = [];
  const flush = (): void => {
    const messages = outgoing;
    outgoing = [];
    if (messages.length > 0) port.postMessage(messages);
  };
  const send = (message: MessageFromWorker<T>): void => {
    outgoing.push(message);
    flush();
  };
  /** What ends in one turn goes over together. */
  const sendEnd = (message: MessageFromWorker<T>): void => {
    if (outgoing.push(message) === 1) queueMicrotask(flush);
  };

  const endWhenDone = async (): Promise<void> => {
    if (!isClosing || tasks.size > 0) return;
    isClosing = false;
    // Before anything that may take long.
    flush();
    await close?.();
    flush();
    if (port === parentPort) {
      // Node would end them with this thread, and libsql ends the process when its thread is ended from outside.
      await waitForWorkers();
      // A task that failed may have left something open that keeps the thread.
      if (hasFailed) process.exit();
    }
    port.close();
  };

  const sendItems = async (
    { id, window }: Start<T>,
    task: Running<T>,
    items: AsyncIterable<T['item']>,
  ): Promise<void> => {
    const isCancelled = () => task.isCancelled;
    for await (const item of items) {
      if (isCancelled()) return;
      send({ kind: 'item', id, item });
      task.ahead++;
      while (task.ahead >= window && !isCancelled()) await new Promise<void>((resolve) => (task.wake = resolve));
      if (isCancelled()) return;
    }
  };
  const carryOut = async (start: Start<T>): Promise<void> => {
    const { id, input } = start;
    const task = new Running<T>((status) => send({ kind: 'status', id, status }));
    tasks.set(id, task);
    const begin = (): Promise<T['result']> => {
      const outcome = run(input, task);
      return outcome instanceof Promise ? outcome : sendItems(start, task, outcome);
    };
    try {
      // Once all that waits is received: it may be cancelled, and has no result then.
      await Promise.resolve();
      sendEnd({ kind: 'result', id, result: task.isCancelled ? undefined : await begin() });
    } catch (error) {
      hasFailed = true;
      sendEnd({ kind: 'error', id, error: toSerializedError(error) });
    }
    tasks.delete(id);
    await endWhenDone();
  };

  const receive = (message: MessageToWorker<T>): void => {
    if (message.kind === 'start') void carryOut(message);
    else if (message.kind === 'close') isClosing = true;
    else {
      const task = tasks.get(message.id);
      if (message.kind === 'message') task?.deliver(message.message);
      else if (message.kind === 'cancel') task?.cancel();
      else if (task) {
        task.ahead--;
        task.wake();
      }
    }
  };
  port.on('message', (first) => {
    for (const message of waitingAt(port, first as readonly MessageToWorker<T>[])) receive(message);
    void endWhenDone();
  });
};
