import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connectWorker, type WorkerClient } from './worker-client.ts';
import type { TaskProtocol } from './worker-messages.ts';
import { serveTasks, type TaskHandler } from './worker-task.ts';

/** A process of a module that calls `serveParentProcess`. */
export interface ChildProcessClient<T extends TaskProtocol> extends WorkerClient<T> {
  readonly pid: number | undefined;
  readonly kill: () => void;
}

export interface ChildProcessOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** Of JavaScript, in megabytes. */
  readonly heapMb: number;
  /** A file that is its standard output; left out: none. */
  readonly output?: number;
}

/** What is kept of its standard error. */
const MAX_ERROR_TEXT = 2_000;

/** Why a process has ended, as far as that is known; resolves after its last message. */
const endOf = async (child: ChildProcess): Promise<Error> => {
  // One that could not be started, as without file descriptors, has no channel that would be closed.
  if (child.pid === undefined) return new Promise((resolve) => child.once('error', resolve));
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-MAX_ERROR_TEXT);
  });
  // Its last messages may come after it has ended.
  await Promise.all(['close', 'disconnect'].map((event) => new Promise((resolve) => child.once(event, resolve))));
  const how = child.signalCode ?? `the code ${child.exitCode}`;
  return new Error(`it ended with ${how}${errorText === '' ? '' : `: ${errorText}`}`);
};

/** Starts a process of a module. It is given tasks as a worker thread is, but as JSON. */
export const startChildProcess = <T extends TaskProtocol>(
  module: URL,
  { environment, heapMb, output }: ChildProcessOptions,
): ChildProcessClient<T> => {
  const child = fork(fileURLToPath(module), [], {
    env: environment,
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', output ?? 'ignore', 'pipe', 'ipc'],
  });
  const worker = Object.assign(new EventEmitter(), {
    postMessage(messages: unknown): void {
      if (child.connected) child.send(messages as object, () => undefined);
    },
    unref: () => child.unref(),
  });
  const client = connectWorker<T>(worker);
  // If it has ended meanwhile, that is reported below.
  child.on('error', () => undefined).on('message', (messages) => worker.emit('message', messages));
  void endOf(child).then((reason) => {
    worker.emit('error', reason);
    worker.emit('exit');
  });
  return { ...client, pid: child.pid, kill: () => void child.kill('SIGKILL') };
};

/** Bytes of a process's memory that belong to no file (proc(5)); undefined where the system does not tell. */
export const readAnonymousMemory = (pid: number | undefined): number | undefined => {
  try {
    const [, kilobytes] = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
};

/** Carries out the tasks that this process is given; it ends at once where the one that started it has. */
export const serveParentProcess = <T extends TaskProtocol>(worker: TaskHandler<T>): void => {
  // By a signal: an exit would wait for the threads of a native library.
  const endNow = () => process.kill(process.pid, 'SIGKILL');
  process.once('disconnect', endNow);
  serveTasks(worker, {
    on: (_event, listener) => process.on('message', listener as (messages: unknown) => void),
    postMessage: (messages) => void process.send?.(messages),
    close() {
      process.off('disconnect', endNow);
      process.disconnect();
    },
  });
};
