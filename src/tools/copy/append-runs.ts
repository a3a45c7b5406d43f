import type { EventLog, RecordedEvent } from '../../event-store/port.ts';
import { inParallel } from '../../lib/in-parallel.ts';

const MAX_AT_ONCE = 64;
/** Half of what a store takes in one append. */
const MAX_BYTES = 500_000;

/** The events of each stream, in their order. */
const runsOf = (events: readonly RecordedEvent[]): RecordedEvent[][] => {
  const runs = new Map<string, RecordedEvent[]>();
  for (const event of events) {
    const run = runs.get(event.stream);
    if (run) run.push(event);
    else runs.set(event.stream, [event]);
  }
  return [...runs.values()];
};

/** Splits a run into parts that one append takes. */
function* partsOf(run: readonly RecordedEvent[]): Generator<readonly RecordedEvent[], void, undefined> {
  if (run.length === 1) {
    yield run;
    return;
  }
  let part: RecordedEvent[] = [];
  let bytes = 0;
  for (const event of run) {
    const size = Buffer.byteLength(JSON.stringify([event.data, event.metadata]));
    if (part.length > 0 && bytes + size > MAX_BYTES) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(event);
    bytes += size;
  }
  yield part;
}

/**
 * Appends events of many streams, each at its own revision: those of one stream in order, different streams at once.
 *
 * @returns a stream that was at another revision; undefined when all are stored
 */
export const appendRuns = async (
  target: Pick<EventLog, 'append'>,
  events: readonly RecordedEvent[],
): Promise<string | undefined> => {
  let refused: string | undefined;
  await inParallel(runsOf(events), MAX_AT_ONCE, async (run) => {
    for (const part of partsOf(run)) {
      const [first] = part;
      if (!first) return;
      const { stream, revision } = first;
      const { kind } = await target.append({ stream, expectedRevision: revision - 1, events: part });
      if (kind === 'appended') continue;
      refused ??= stream;
      return;
    }
  });
  return refused;
};
