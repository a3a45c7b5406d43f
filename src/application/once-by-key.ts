import { DomainError, keyReused, unavailable } from '../errors/domain-error.ts';
import type { IdempotencyRecord, IdempotencyStore, KeyClaim, KeyedRequest, KeyHeld } from '../event-store/port.ts';
import { createKeyedMutex } from '../lib/keyed-mutex.ts';
import type { JsonObject } from '../schema/json.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { TransactionResult, Sleep } from './transact.ts';

/** Longer than a key's holder takes: three deliveries of a code and a slow store, or one append. */
const MAX_HOLD_MS = { request: 30_000, append: 1_000 } as const;
const MAX_WAIT_MS = 40_000;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [4, 250];
const RETRY_AFTER_SECONDS = 1;

interface KeyedTask<Result> {
  readonly request: KeyedRequest;
  /** Whether the key is claimed first, since the task's effect cannot be undone. */
  readonly claimsFirst: boolean;
  /** Runs the task, including the append of the idempotency record. */
  readonly perform: (claim: KeyClaim | undefined) => Promise<TransactionResult<Result> | 'key-taken'>;
}

/** Sums up the pauses of waiting for a key's holder: the clocks of instances may differ. */
const createWait = (pause: Sleep) => {
  let [waitedMs, pauses, heldMs] = [0, 0, 0];
  let by: string | undefined;
  return {
    /**
     * @returns the holder once it has held the key longer than MAX_HOLD_MS
     * @throws DomainError unavailable after MAX_WAIT_MS
     */
    async next(held: KeyHeld | undefined): Promise<string | undefined> {
      if (waitedMs >= MAX_WAIT_MS)
        throw unavailable('Another request with the same Idempotency-Key is under way', RETRY_AFTER_SECONDS);
      if (held?.by !== by) heldMs = 0;
      by = held?.by;
      const milliseconds = backoffMs(pauses++, MIN_PAUSE_MS, MAX_PAUSE_MS);
      await pause(milliseconds);
      waitedMs += milliseconds;
      heldMs += milliseconds;
      return held && heldMs >= MAX_HOLD_MS[held.left] ? held.by : undefined;
    },
  };
};

const toReplayedResult = ({ result, position }: IdempotencyRecord) => ({ result, position, isReplayed: true });

/** Runs the task of a key once, whichever instances its requests reach. */
export const createOnceByKey = (idempotencyStore: IdempotencyStore, pause: Sleep) => {
  const oneByKey = createKeyedMutex();

  const claimed = async <Result>(
    claim: KeyClaim,
    perform: KeyedTask<Result>['perform'],
  ): Promise<TransactionResult<Result> | 'key-taken'> => {
    try {
      return await perform(claim);
    } catch (error) {
      // Only successes are recorded. A claim that cannot be released is taken over once overdue.
      await idempotencyStore.releaseKey(claim).catch(() => undefined);
      throw error;
    }
  };

  /** Another instance may have done this very request, and so caused the refusal: its recorded answer is returned. */
  const unclaimed = async <Result>(
    request: KeyedRequest,
    perform: KeyedTask<Result>['perform'],
  ): Promise<TransactionResult<Result | JsonObject> | 'key-taken'> => {
    try {
      return await perform(undefined);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const state = await idempotencyStore.findIdempotencyRecord(request);
      if (state.kind === 'found') return toReplayedResult(state.idempotencyRecord);
      throw error;
    }
  };

  const once = async <Result>({
    request,
    claimsFirst: isClaimed,
    perform,
  }: KeyedTask<Result>): Promise<TransactionResult<Result | JsonObject>> => {
    const wait = createWait(pause);
    let overdue: string | undefined;
    for (;;) {
      const found = await idempotencyStore.findIdempotencyRecord(request, overdue);
      const isToClaim = found.kind === 'free' && (isClaimed || overdue !== undefined);
      const state = isToClaim ? await idempotencyStore.claimKey(request, overdue) : found;
      if (state.kind === 'found') return toReplayedResult(state.idempotencyRecord);
      if (state.kind === 'other-request') throw keyReused('The Idempotency-Key was used with another request');
      if (state.kind !== 'held') {
        const done = state.kind === 'claimed' ? await claimed(state.claim, perform) : await unclaimed(request, perform);
        if (done !== 'key-taken') return done;
      }
      overdue = await wait.next(state.kind === 'held' ? state : undefined);
    }
  };

  return <Result>(task: KeyedTask<Result>): Promise<TransactionResult<Result | JsonObject>> =>
    oneByKey(task.request.key, () => once(task));
};
