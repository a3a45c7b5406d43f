import { appendRuns } from './append-runs.ts';
import { NO_STREAM, type EventStore, type Position } from '../../event-store/port.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { differenceOf, readLog, sumLog, type LogSums, type StreamSum } from '../../event-store/log-sums.ts';
import type { Clock } from '../../ports/clock.ts';

/** The log that is copied, and the one that it is copied to. Nothing else writes to either meanwhile. */
export interface Copy {
  readonly source: Pick<EventStore, 'subscribe' | 'head' | 'receipts'>;
  readonly target: Pick<EventStore, 'subscribe' | 'head' | 'append'>;
  readonly clock: Clock;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** How far it is. How many events there are is known once both logs were read. */
export type CopyProgress =
  | { readonly phase: 'reading'; readonly events: number }
  | { readonly phase: 'copying' | 'verifying'; readonly events: number; readonly total: number };

export type CopyOutcome =
  | {
      readonly kind: 'verified';
      readonly events: number;
      readonly streams: number;
      /** Events that were not there before. */
      readonly added: number;
      readonly receipts: number;
    }
  /** A stream of the target is not how one of the source begins. Nothing was changed. */
  | { readonly kind: 'holds-something-else'; readonly stream: string }
  /** What was copied is not what the target holds: something else writes to it. */
  | { readonly kind: 'differs'; readonly stream: string }
  /** What came while it was copied is not verified, and some of it not copied. */
  | { readonly kind: 'source-has-grown' };

/** The sums of the source, and a stream of the target that is not how one of the source begins. */
const compare = async (
  { source }: Pick<Copy, 'source'>,
  end: Position,
  there: LogSums,
  onEvent: () => void,
): Promise<{ readonly sums: LogSums; readonly foreign: string | undefined }> => {
  const unmatched = new Set(there.keys());
  const onSum = (stream: string, { checksum }: StreamSum): void => {
    if (there.get(stream)?.checksum === checksum) unmatched.delete(stream);
    onEvent();
  };
  const sums = await sumLog(source, end, onSum);
  return { sums, foreign: unmatched.values().next().value };
};

/** A stream that never comes to be: a receipt without events is kept whatever the streams are at. */
const NO_EVENTS = 'receipts-without-events';
const MOST_AT_ONCE = 64;

/** Keeps the receipts of requests that may still be repeated, at the head: the positions of the source mean nothing here. */
const copyReceipts = async ({ source, target, clock }: Copy): Promise<number> => {
  const storedAt = clock().toISOString();
  const receipts = await source.receipts(storedAt);
  const decidedAt = await target.head();
  await inParallel(receipts, MOST_AT_ONCE, async ({ key, fingerprint, result, expiresAt }) => {
    const receipt = { key, fingerprint, result, expiresAt, storedAt };
    await target.append({ stream: NO_EVENTS, expectedRevision: NO_STREAM, events: [], receipt, decidedAt });
  });
  return receipts.length;
};

const countOf = (sums: LogSums): number => {
  let events = 0;
  for (const { count } of sums.values()) events += count;
  return events;
};

/**
 * Copies a log: the events with their ids, types, data and metadata, each stream in its order, and the log's order by
 * some thousand events. At any time the target holds how each stream begins, so that a copy that was interrupted goes on where
 * it stopped. At the end both logs have been read and are the same.
 *
 * @throws ForeignEvent for an event that this service cannot have written, in either log
 * @throws Error of a store that does not answer
 */
export const copyLog = async (copy: Copy): Promise<CopyOutcome> => {
  const { source, target, onProgress } = copy;
  let read = 0;
  const onRead = () => onProgress({ phase: 'reading', events: ++read });
  const end = await source.head();
  const there = await sumLog(target, await target.head(), onRead);
  const { sums, foreign } = await compare(copy, end, there, onRead);
  if (foreign !== undefined) return { kind: 'holds-something-else', stream: foreign };

  const total = countOf(sums);
  let events = 0;
  for await (const batch of readLog(source, end)) {
    const missing = batch.filter(({ stream, revision }) => revision >= (there.get(stream)?.count ?? 0));
    // The next batch has later events of the same streams.
    const refused = await appendRuns(target, missing);
    if (refused !== undefined) return { kind: 'differs', stream: refused };
    onProgress({ phase: 'copying', events: (events += batch.length), total });
  }
  const receipts = await copyReceipts(copy);

  let verified = 0;
  const onVerified = () => onProgress({ phase: 'verifying', events: ++verified, total });
  const copied = await sumLog(target, await target.head(), onVerified);
  if ((await source.head()) !== end) return { kind: 'source-has-grown' };
  const stream = differenceOf(sums, copied);
  if (stream !== undefined) return { kind: 'differs', stream };
  return { kind: 'verified', events: total, streams: sums.size, added: total - countOf(there), receipts };
};
