import { parentPort, workerData, type ResourceLimits } from 'node:worker_threads';
import { beat, startWatchedWorker, type OnHung } from './heartbeat.ts';
import { plainError } from './sent-error.ts';
import { workersEnded } from './worker-client.ts';

/** What runs beside the rest of a process and is told and tells things. */
export interface Thread<To> {
  tell(message: To): void;
  /** Resolves once it has ended: to its error where it has failed. */
  readonly ended: Promise<Error | undefined>;
  /** The process need not wait for its end any more. */
  unref(): void;
}

export interface ThreadBody<To> {
  hear(message: To): void;
  /** Resolves once it has been told to end, and holds nothing any more. */
  run(): Promise<void>;
}

/** @param data plain data; @param post tells the process something */
export type OpenBody<Data, To, From> = (data: Data, post: (message: From) => void) => Promise<ThreadBody<To>>;

export type StartThread<Data, To, From> = (
  data: Data,
  limits: ResourceLimits,
  hear: (message: From) => void,
  onHung?: OnHung,
) => Thread<To>;

/** Starts worker threads of a module that calls `runInWorker`. */
export const startWorkers =
  <Data extends object, To, From>(module: URL): StartThread<Data, To, From> =>
  (data, resourceLimits, hear, onHung = () => undefined) => {
    const worker = startWatchedWorker(module, resourceLimits, onHung, data);
    let failure: Error | undefined;
    worker.on('message', hear).on('error', (error) => (failure = error));
    return {
      tell: (message) => worker.postMessage(message),
      ended: new Promise((resolve) => worker.once('exit', () => resolve(failure))),
      unref: () => worker.unref(),
    };
  };

/** Runs a body in this worker thread, and then ends the thread. */
export const runInWorker = async <Data, To, From>(open: OpenBody<Data, To, From>): Promise<void> => {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a worker thread');
  beat();
  try {
    const body = await open(workerData as Data, (message) => port.postMessage(message));
    port.on('message', (message: To) => body.hear(message));
    await body.run();
  } catch (error) {
    throw plainError(error);
  } finally {
    await workersEnded();
  }
  port.close();
};
