import { tooMany } from '../errors/domain-error.ts';
import { atTime } from '../lib/at-time.ts';

/** Callers that follow something, of whom each holds a connection. */
export interface Followers {
  /** @returns to be called when the caller leaves @throws DomainError too-many */
  join(user: string): () => void;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

/** Of all callers together, since each holds a connection. */
const MAX_FOLLOWERS = 16;
/** Of one user: enough for some windows of a browser, and not for all streams. */
const MAX_OF_USER = 5;
const RETRY_AFTER_S = 10;

/** @param what is followed, for the refusal */
export const createFollowers = (what: string, signal: AbortSignal): Followers => {
  const users = new Map<symbol, string>();
  return {
    signal,
    join(user) {
      if (users.size >= MAX_FOLLOWERS)
        throw tooMany(`${MAX_FOLLOWERS} callers follow ${what} already`, RETRY_AFTER_S);
      if ([...users.values()].filter((each) => each === user).length >= MAX_OF_USER)
        throw tooMany(`You follow ${what} ${MAX_OF_USER} times already`, RETRY_AFTER_S);
      const place = Symbol(user);
      users.set(place, user);
      return () => void users.delete(place);
    },
  };
};

/** Shorter than proxies keep a silent connection open. */
export const HEARTBEAT_MS = 15_000;

const silence = (milliseconds: number): { readonly over: Promise<'silent'>; readonly end: () => void } => {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'silent'>((resolve) => (timer = setTimeout(resolve, milliseconds, 'silent')));
  return { over, end: () => clearTimeout(timer) };
};

/**
 * Pieces of text as they come, and a line without anything now and then, which says that the service is still there;
 * until the token expires or the service stops.
 *
 * @param leaving aborted then
 * @param until when the token expires, in milliseconds since 1970
 */
export async function* followed(
  pieces: AsyncIterable<string>,
  {
    until,
    leaving,
    signal,
  }: {
    readonly until: number;
    readonly leaving: AbortController;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<string, void, undefined> {
  const leave = () => leaving.abort();
  const cancelExpiry = atTime(until, leave);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    // At once, so that the client knows it was accepted.
    yield '\n';
    let next = iterator.next();
    for (;;) {
      const quiet = silence(HEARTBEAT_MS);
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
    cancelExpiry();
    signal.removeEventListener('abort', leave);
  }
}
