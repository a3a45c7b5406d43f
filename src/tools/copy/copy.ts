import { appendRuns } from './append-runs.ts';
import { NO_STREAM, type EventLog, type IdempotencyStore, type Position } from '../../event-store/port.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { differenceOf, readLog, sumLog, type LogSums, type StreamSum } from '../../event-store/log-sums.ts';
import type { Clock } from '../../ports/clock.ts';

/** The event log to copy, and the one to copy it to. No other program writes to either meanwhile. */
export interface Copy {
  readonly source: Pick<EventLog, 'subscribe' | 'head'> & Pick<IdempotencyStore, 'idempotencyRecords'>;
  readonly target: Pick<EventLog, 'subscribe' | 'head' | 'append'>;
  readonly clock: Clock;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** The total is known once both event logs were read. */
export type CopyProgress =
  | { readonly phase: 'reading'; readonly events: number }
  | { readonly phase: 'copying' | 'verifying'; readonly events: number; readonly total: number };

export type CopyOutcome =
  | {
      readonly kind: 'verified';
      readonly events: number;
      readonly streams: number;
      /** Events that the target did not hold before. */
      readonly added: number;
      readonly idempotencyRecords: number;
    }
  /** A stream of the target is not the beginning of the source's. Nothing was changed. */
  | { readonly kind: 'holds-something-else'; readonly stream: string }
  /** The target does not hold what was copied: another program writes to it. */
  | { readonly kind: 'differs'; readonly stream: string }
  /** Events that came during the copy are not verified, and some not copied. */
  | { readonly kind: 'source-has-grown' };

/** The sums of the source, and a stream of the target that is not the beginning of the source's. */
const compare = async (
  { source }: Pick<Copy, 'source'>,
  end: Position,
  there: LogSums,
  onEvent: () => void,
): Promise<{ readonly sums: LogSums; readonly mismatched: string | undefined }> => {
  const unmatched = new Set(there.keys());
  const onSum = (stream: string, { checksum }: StreamSum): void => {
    if (there.get(stream)?.checksum === checksum) unmatched.delete(stream);
    onEvent();
  };
  const sums = await sumLog(source, end, onSum);
  return { sums, mismatched: unmatched.values().next().value };
};

/** A stream that never has an event, so that every record is stored at the expected revision. */
const STREAM_WITHOUT_EVENTS = 'receipts-without-events';
const MAX_AT_ONCE = 64;

/**
 * Stores the idempotency records of requests that may still be repeated, at the target's head: positions of the source
 * mean nothing there.
 */
const copyIdempotencyRecords = async ({ source, target, clock }: Copy): Promise<number> => {
  const storedAt = clock().toISOString();
  const idempotencyRecords = await source.idempotencyRecords(storedAt);
  const lastSeen = await target.head();
  await inParallel(idempotencyRecords, MAX_AT_ONCE, async ({ key, fingerprint, result, expiresAt }) => {
    const idempotencyRecord = { key, fingerprint, result, expiresAt, storedAt };
    await target.append({
      stream: STREAM_WITHOUT_EVENTS,
      expectedRevision: NO_STREAM,
      events: [],
      idempotencyRecord,
      lastSeen,
    });
  });
  return idempotencyRecords.length;
};

const countOf = (sums: LogSums): number => {
  let events = 0;
  for (const { count } of sums.values()) events += count;
  return events;
};

/**
 * Copies an event log: the events with their ids, types, data and metadata, each stream in its order, and the order of
 * different streams to within some thousand events. A target stream always is the beginning of the source's, so that an
 * interrupted copy resumes where it stopped. At the end both event logs have been read and are the same.
 *
 * @throws ForeignEvent for an event that this service cannot have written, in either event log
 * @throws Error of a store that does not answer
 */
export const copyLog = async (copy: Copy): Promise<CopyOutcome> => {
  const { source, target, onProgress } = copy;
  let read = 0;
  const onRead = () => onProgress({ phase: 'reading', events: ++read });
  const end = await source.head();
  const there = await sumLog(target, await target.head(), onRead);
  const { sums, mismatched } = await compare(copy, end, there, onRead);
  if (mismatched !== undefined) return { kind: 'holds-something-else', stream: mismatched };

  const total = countOf(sums);
  let events = 0;
  for await (const batch of readLog(source, end)) {
    const missing = batch.filter(({ stream, revision }) => revision >= (there.get(stream)?.count ?? 0));
    // Awaited first: the next batch has later events of the same streams.
    const refused = await appendRuns(target, missing);
    if (refused !== undefined) return { kind: 'differs', stream: refused };
    onProgress({ phase: 'copying', events: (events += batch.length), total });
  }
  const idempotencyRecords = await copyIdempotencyRecords(copy);

  let verified = 0;
  const onVerified = () => onProgress({ phase: 'verifying', events: ++verified, total });
  const copied = await sumLog(target, await target.head(), onVerified);
  if ((await source.head()) !== end) return { kind: 'source-has-grown' };
  const stream = differenceOf(sums, copied);
  if (stream !== undefined) return { kind: 'differs', stream };
  return {
    kind: 'verified',
    events: total,
    streams: sums.size,
    added: total - countOf(there),
    idempotencyRecords,
  };
};
