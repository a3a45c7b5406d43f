import { Worker, workerData, type ResourceLimits } from 'node:worker_threads';

const BEAT_MS = 5_000;
/** A thread hangs that has not answered for so many beats. */
const MISSED_BEATS = 2;

/** Called when a thread hangs, and when it answers again or has ended. */
export type HangStateListener = (isHung: boolean) => void;

interface Watched {
  /** Counts the turns of the thread's event loop, one for each beat. */
  readonly heartbeat?: Int32Array;
}

/**
 * Starts a worker thread, and checks that its event loop keeps turning once its module has called `startHeartbeat`.
 * Beats are counted against this thread's timer, not against a clock: a process that stood still as a whole has missed
 * none.
 */
export const startWatchedWorker = (module: URL, resourceLimits: ResourceLimits, onHung: HangStateListener): Worker => {
  const heartbeat = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(module, { workerData: { heartbeat }, resourceLimits });
  let [last, missed, isHung] = [0, 0, false];
  const note = (hangs: boolean): void => {
    if (hangs === isHung) return;
    isHung = hangs;
    onHung(hangs);
  };
  const looking = setInterval(() => {
    const now = Atomics.load(heartbeat, 0);
    missed = now === last ? missed + 1 : 0;
    last = now;
    note(now > 0 && missed >= MISSED_BEATS);
  }, BEAT_MS).unref();
  worker.once('exit', () => {
    clearInterval(looking);
    note(false);
  });
  return worker;
};

/** Starts the heartbeat of this thread, if it is watched. */
export const startHeartbeat = (): void => {
  const { heartbeat } = (workerData ?? {}) as Watched;
  if (!heartbeat) return;
  const count = (): void => void Atomics.add(heartbeat, 0, 1);
  count();
  setInterval(count, BEAT_MS).unref();
};
