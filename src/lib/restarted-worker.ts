import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from './backoff.ts';
import { WorkerEndedError, type WorkerClient } from './worker-client.ts';
import type { TaskProtocol } from './worker-messages.ts';

export interface RestartedWorker<T extends TaskProtocol> {
  /**
   * @throws the task's error
   * @throws WorkerEndedError when the worker ends before it is done, or while there is none
   */
  run(input: T['input']): Promise<T['result']>;
  /** Lets the worker finish its tasks, then ends it. */
  close(): Promise<void>;
}

export interface WorkerEvents {
  /** Called when the worker has ended or could not be started again; it is then started again. */
  readonly onEnded?: ((error: Error) => void) | undefined;
  /** Called when the worker has started again. */
  readonly onStarted?: (() => void) | undefined;
}

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/**
 * Starts a worker that is started again where it ends by itself, after pauses that grow until one has done a task.
 *
 * @param first the task that makes a worker ready
 * @throws what keeps the first worker from being ready
 */
export const openRestartedWorker = async <T extends TaskProtocol>(
  start: () => WorkerClient<T>,
  first: T['input'],
  { onEnded, onStarted }: WorkerEvents = {},
): Promise<RestartedWorker<T>> => {
  const closing = new AbortController();
  const { signal } = closing;
  let failures = 0;
  let worker: WorkerClient<T> | undefined;

  const startReady = async (): Promise<WorkerClient<T>> => {
    const started = start();
    try {
      await started.run(first);
      return started;
    } catch (error) {
      started.close();
      throw (await started.ended) ?? error;
    }
  };
  const startAgain = async (): Promise<WorkerClient<T> | undefined> => {
    for (;;) {
      const pause = backoffMs(failures++, MIN_PAUSE_MS, MAX_PAUSE_MS);
      await delay(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        return await startReady();
      } catch (error) {
        onEnded?.(error as Error);
      }
    }
  };
  const keepRunning = async (first: WorkerClient<T>): Promise<void> => {
    for (let started: WorkerClient<T> | undefined = first; started;) {
      worker = started;
      if (signal.aborted) started.close();
      const cause = await started.ended;
      worker = undefined;
      if (signal.aborted) return;
      onEnded?.(new WorkerEndedError(cause));
      started = await startAgain();
      if (started) onStarted?.();
    }
  };
  const running = keepRunning(await startReady());
  return {
    async run(input) {
      if (!worker || signal.aborted) throw new WorkerEndedError(undefined, 'There is no worker');
      const result = await worker.run(input);
      failures = 0;
      return result;
    },
    async close() {
      closing.abort();
      worker?.close();
      await running;
    },
  };
};
