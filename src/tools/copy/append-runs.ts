import type { BulkAppender, RecordedEvent } from '../../event-store/port.ts';

/** Half of what a store takes in one append. */
const MAX_BYTES = 500_000;

const sizeOf = ({ data, metadata }: RecordedEvent): number =>
  Buffer.byteLength(JSON.stringify([data, metadata]));

/** Events of one stream that stand one after the other. */
interface Run {
  readonly first: RecordedEvent;
  readonly events: RecordedEvent[];
  bytes: number;
}

/** Splits events into runs that one append takes each. */
const runsOf = (events: readonly RecordedEvent[]): readonly Run[] => {
  const runs: Run[] = [];
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
export const appendRuns = (
  target: BulkAppender,
  events: readonly RecordedEvent[],
): Promise<string | undefined> =>
  target.appendInOrder(
    runsOf(events).map(({ first: { stream, revision }, events: run }) => ({
      stream,
      expectedRevision: revision - 1,
      events: run,
    })),
  );
