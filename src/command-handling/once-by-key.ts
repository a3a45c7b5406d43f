import { unavailable, unprocessable } from '../errors/http-error.ts';
import type { EventStore, KeyClaim, KeyedRequest, KeyHeld } from '../event-store/port.ts';
import { createExclusive } from '../lib/keyed-mutex.ts';
import type { JsonObject } from '../schema/json.ts';
import { backoff } from '../lib/backoff.ts';
import type { Decided, Pause } from './transact.ts';

/** Longer than a holder may take: three tries to deliver a code and a store that answers late, or one append. */
const MAX_HOLD_MS = { request: 30_000, append: 1_000 } as const;
const MAX_WAIT_MS = 40_000;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [4, 250];
const RETRY_AFTER_SECONDS = 1;

/** What a request under a key does. */
export interface KeyedTask<Result> {
  readonly request: KeyedRequest;
  /** Whether the key is claimed first, because the task does something that cannot be taken back. */
  readonly isClaimed: boolean;
  /** Does it, up to an append with a receipt of the request and its claim. */
  readonly perform: (claim: KeyClaim | undefined) => Promise<Decided<Result> | 'key-taken'>;
}

/**
 * Tells how long a holder of a key has been waited for. No clock is asked, since those of the instances may differ: what counts is
 * the sum of the pauses.
 */
const createWait = (pause: Pause) => {
  let [waitedMs, pauses, heldMs] = [0, 0, 0];
  let by: string | undefined;
  return {
    /** @returns the holder once it has had its time */
    async next(held: KeyHeld | undefined): Promise<string | undefined> {
      if (waitedMs >= MAX_WAIT_MS)
        throw unavailable('Another request with the same Idempotency-Key is under way', RETRY_AFTER_SECONDS);
      if (held?.by !== by) heldMs = 0;
      by = held?.by;
      const milliseconds = backoff(pauses++, MIN_PAUSE_MS, MAX_PAUSE_MS);
      await pause(milliseconds);
      waitedMs += milliseconds;
      heldMs += milliseconds;
      return held && heldMs >= MAX_HOLD_MS[held.left] ? held.by : undefined;
    },
  };
};

/** Does what comes under a key once, whichever instances it comes to. */
export const createOnceByKey = (eventStore: EventStore, pause: Pause) => {
  const oneByKey = createExclusive();

  const claimed = async <Result>(
    claim: KeyClaim,
    perform: KeyedTask<Result>['perform'],
  ): Promise<Decided<Result> | 'key-taken'> => {
    try {
      return await perform(claim);
    } catch (error) {
      // Only successes are kept. A claim that cannot be given back runs out.
      await eventStore.releaseKey(claim).catch(() => undefined);
      throw error;
    }
  };

  /** What was kept of the task under its key, or what comes of it now. */
  const once = async <Result>({
    request,
    isClaimed,
    perform,
  }: KeyedTask<Result>): Promise<Decided<Result | JsonObject>> => {
    const wait = createWait(pause);
    let overdue: string | undefined;
    for (;;) {
      const found = await eventStore.findReceipt(request, overdue);
      const isToClaim = found.kind === 'free' && (isClaimed || overdue !== undefined);
      const state = isToClaim ? await eventStore.claimKey(request, overdue) : found;
      if (state.kind === 'found') return state.receipt;
      if (state.kind === 'other-request')
        throw unprocessable('The Idempotency-Key was used with another request');
      if (state.kind !== 'held') {
        const done =
          state.kind === 'claimed' ? await claimed(state.claim, perform) : await perform(undefined);
        if (done !== 'key-taken') return done;
      }
      overdue = await wait.next(state.kind === 'held' ? state : undefined);
    }
  };

  return <Result>(task: KeyedTask<Result>): Promise<Decided<Result | JsonObject>> =>
    oneByKey(task.request.key, () => once(task));
};
