import { addAbortListener, setMaxListeners } from 'node:events';
import type { Caller } from '../access/access.ts';
import { runAt } from '../lib/run-at.ts';
import { createConcurrencyLimiter, type ConcurrencyLimiter } from './concurrency-limiter.ts';

/** Callers that follow something. */
export interface FollowerLimit {
  /** Each caller holds a connection. */
  readonly places: ConcurrencyLimiter;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

/** @param what is followed, for the refusal */
export const createFollowerLimit = (what: string, signal: AbortSignal): FollowerLimit => {
  // Each of them listens for the stop.
  setMaxListeners(0, signal);
  return {
    signal,
    places: createConcurrencyLimiter({
      all: 16,
      // Enough for some windows of a browser, and not for all streams.
      ofUser: 5,
      waitMs: 0,
      retryAfterSeconds: 10,
      refusal: (count, isOfUser) =>
        isOfUser ? `You follow ${what} ${count} times already` : `${count} callers follow ${what} already`,
    }),
  };
};

/** Runs something once a caller's token has expired, or its user has signed out. @returns cancels it */
export const onSessionEnd = ({ expiresAt = Infinity, signedOut }: Caller, act: () => void): (() => void) => {
  const cancelExpiry = runAt(expiresAt, act);
  const signingOut = signedOut && addAbortListener(signedOut, act);
  return () => {
    cancelExpiry();
    signingOut?.[Symbol.dispose]();
  };
};

/** Shorter than proxies keep a silent connection open. */
export const HEARTBEAT_MS = 15_000;

const silenceTimer = (milliseconds: number): { readonly over: Promise<'silent'>; readonly end: () => void } => {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'silent'>((resolve) => (timer = setTimeout(resolve, milliseconds, 'silent')));
  return { over, end: () => clearTimeout(timer) };
};

/**
 * Pieces of text as they come, and a line without anything now and then, which says that the service is still there;
 * until the token expires, the user signs out or the service stops.
 *
 * @param leaving aborted then
 * @param signal aborted when the service stops
 */
export async function* withKeepAliveLines(
  pieces: AsyncIterable<string>,
  caller: Caller,
  leaving: AbortController,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const leave = () => leaving.abort();
  const cancelEnd = onSessionEnd(caller, leave);
  const stopping = addAbortListener(signal, leave);
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    // At once, so that the client knows it was accepted.
    yield '\n';
    let next = iterator.next();
    for (;;) {
      const quiet = silenceTimer(HEARTBEAT_MS);
      const piece = await Promise.race([next, quiet.over]).finally(quiet.end);
      if (piece === 'silent') {
        yield '\n';
        continue;
      }
      if (piece.done) return;
      yield piece.value;
      next = iterator.next();
    }
  } finally {
    leave();
    cancelEnd();
    stopping[Symbol.dispose]();
  }
}
