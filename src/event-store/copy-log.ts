import { compareLogPrefix, type LogDifference } from './compare-logs.ts';
import { NO_STREAM, type EventLog, type BulkAppender, type IdempotencyStore, type RecordedEvent } from './port.ts';
import { forEachInParallel } from '../lib/for-each-in-parallel.ts';
import { readLogRejectingForeign } from './read-log.ts';

/** The event log to copy, and the one to copy it to. No other program writes to either meanwhile. */
export interface CopyLogOptions {
  readonly source: Pick<EventLog, 'subscribe' | 'readStream' | 'head'> & Pick<IdempotencyStore, 'idempotencyRecords'>;
  readonly target: Pick<EventLog, 'subscribe' | 'readStream' | 'head' | 'append'> & BulkAppender;
  readonly clock: () => Date;
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
  /** The target is not the beginning of the source. Nothing was changed. */
  | { readonly kind: 'holds-something-else'; readonly difference: LogDifference }
  /** The target does not hold what was copied: another program writes to it. */
  | { readonly kind: 'differs'; readonly difference: LogDifference }
  /** Events that came during the copy are not verified, and some not copied. */
  | { readonly kind: 'source-has-grown' };

/** A stream that never has an event, so that every record is stored at the expected revision. */
const STREAM_WITHOUT_EVENTS = 'receipts-without-events';
const MAX_AT_ONCE = 64;

/**
 * Stores the idempotency records of requests that may still be repeated, at the target's head: positions of the source
 * mean nothing there.
 */
const copyIdempotencyRecords = async ({ source, target, clock }: CopyLogOptions): Promise<number> => {
  const storedAt = clock().toISOString();
  const idempotencyRecords = await source.idempotencyRecords(storedAt);
  const lastSeen = await target.head();
  await forEachInParallel(idempotencyRecords, MAX_AT_ONCE, async ({ key, fingerprint, result, expiresAt }) => {
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

/** Half of what a store takes in one append. */
const MAX_BYTES = 500_000;

const sizeOf = ({ data, metadata }: RecordedEvent): number => Buffer.byteLength(JSON.stringify([data, metadata]));

/** Events of one stream that stand one after the other. */
interface StreamRun {
  readonly first: RecordedEvent;
  readonly events: RecordedEvent[];
  bytes: number;
}

/** Splits events into runs that one append takes each. */
const streamRunsOf = (events: readonly RecordedEvent[]): readonly StreamRun[] => {
  const runs: StreamRun[] = [];
  for (const event of events) {
    const run = runs.at(-1);
    const bytes = sizeOf(event);
    if (run?.first.stream === event.stream && run.bytes + bytes <= MAX_BYTES) {
      run.events.push(event);
      run.bytes += bytes;
    } else runs.push({ first: event, events: [event], bytes });
  }
  return runs;
};

/**
 * Appends events of many streams in their order, each at its own revision.
 *
 * @returns a stream that was at another revision; undefined when all are stored
 */
const appendRuns = (target: BulkAppender, events: readonly RecordedEvent[]): Promise<string | undefined> =>
  target.appendInOrder(
    streamRunsOf(events).map(({ first: { stream, revision }, events: run }) => ({
      stream,
      expectedRevision: revision - 1,
      events: run,
    })),
  );

/**
 * Copies an event log: the events with their ids, types, data and metadata, in their order. At any time the target is
 * the beginning of the source, so that an interrupted copy resumes where it stopped. At the end both event logs have
 * been read side by side and are the same.
 *
 * @throws ForeignEventError for an event that this service cannot have written, in either event log
 * @throws Error of a store that does not answer
 */
export const copyLog = async (copy: CopyLogOptions): Promise<CopyOutcome> => {
  const { source, target, onProgress } = copy;
  const end = await source.head();
  const compare = async (onEvent: () => void) =>
    compareLogPrefix({ log: source, end }, { log: target, end: await target.head() }, onEvent);

  let read = 0;
  const before = await compare(() => onProgress({ phase: 'reading', events: ++read }));
  if (before.difference) return { kind: 'holds-something-else', difference: before.difference };

  const { events: total, same } = before;
  let events = 0;
  for await (const batch of readLogRejectingForeign(source, end)) {
    const stream = await appendRuns(target, batch.slice(Math.max(0, same - events)));
    if (stream !== undefined) return { kind: 'differs', difference: { kind: 'content', stream } };
    onProgress({ phase: 'copying', events: (events += batch.length), total });
  }
  const idempotencyRecords = await copyIdempotencyRecords(copy);

  let verified = 0;
  const after = await compare(() => onProgress({ phase: 'verifying', events: ++verified, total }));
  if ((await source.head()) !== end) return { kind: 'source-has-grown' };
  const difference = after.difference ?? (after.missing && { kind: 'content', stream: after.missing.stream });
  if (difference) return { kind: 'differs', difference };
  return { kind: 'verified', events: total, streams: after.streams, added: total - same, idempotencyRecords };
};
