import { tooMany, unavailable } from '../errors/domain-error.ts';

/** A bounded number of places for expensive work, of which one user may hold only some. */
export interface ConcurrencyLimiter {
  /**
   * Takes a place, or waits for one: the next free one goes to the user who holds the fewest, and among equals to who
   * has waited longest.
   *
   * @param signal aborted when the client has gone: it waits no longer
   * @returns gives the place back, once
   * @throws DomainError too-many if none became free in time, or too many wait; unavailable if the client has gone
   */
  take(user: string, signal: AbortSignal): Promise<() => void>;
}

export interface ConcurrencyLimiterOptions {
  readonly all: number;
  readonly ofUser: number;
  /** How long a place is waited for, in milliseconds; 0: not at all. */
  readonly waitMs: number;
  readonly retryAfterSeconds: number;
  /** The message of a refusal, where so many places are taken: all, or those of the user. */
  readonly refusal: (count: number, isOfUser: boolean) => string;
}

/** Waiting requests take memory. One user may have as many as a page of a notebook sends at once. */
const MAX_WAITING_OF_USER = 16;
const MAX_WAITING = 64;

interface Holder {
  readonly user: string;
  readonly enter: () => void;
}

const countOf = (holders: ReadonlySet<Holder>, user: string): number => {
  let count = 0;
  for (const each of holders) if (each.user === user) count++;
  return count;
};

export const createConcurrencyLimiter = ({
  all,
  ofUser,
  waitMs,
  retryAfterSeconds,
  refusal,
}: ConcurrencyLimiterOptions): ConcurrencyLimiter => {
  const inside = new Set<Holder>();
  /** In the order in which they came. */
  const waiting = new Set<Holder>();

  /** Lets in the next one, if any may enter. Called whenever one has come or left, so that one is enough. */
  const letIn = (): void => {
    if (inside.size >= all) return;
    const held = ({ user }: Holder) => countOf(inside, user);
    const [next] = [...waiting].filter((each) => held(each) < ofUser).sort((one, other) => held(one) - held(other));
    if (!next) return;
    waiting.delete(next);
    inside.add(next);
    next.enter();
  };

  const refusalFor = (user: string): Error => {
    const isOfUser = countOf(inside, user) >= ofUser;
    return tooMany(refusal(isOfUser ? ofUser : all, isOfUser), retryAfterSeconds);
  };

  return {
    take: (user, signal) =>
      new Promise((resolve, reject) => {
        const stopWaiting = (): void => {
          clearTimeout(late);
          signal.removeEventListener('abort', leave);
        };
        const refuse = (error: Error): void => {
          stopWaiting();
          waiting.delete(holder);
          reject(error);
        };
        const leave = () => refuse(unavailable('The client has gone', retryAfterSeconds));
        const holder: Holder = {
          user,
          enter() {
            stopWaiting();
            resolve(() => {
              if (inside.delete(holder)) letIn();
            });
          },
        };
        const late = setTimeout(() => refuse(refusalFor(user)), waitMs);
        signal.addEventListener('abort', leave, { once: true });
        waiting.add(holder);
        letIn();
        if (!waiting.has(holder)) return;
        if (signal.aborted) leave();
        else if (waitMs === 0 || waiting.size > MAX_WAITING || countOf(waiting, user) > MAX_WAITING_OF_USER)
          refuse(refusalFor(user));
      }),
  };
};
