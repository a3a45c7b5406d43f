import { buildProjection } from '../../src/builds/build-projection.ts';
import { eventDefinitions, type DomainEvent } from '../../src/domain/index.ts';
import type { Documents, Projection } from '../../src/projection.ts';
import { defineCollection, type ReadModelStore } from '../../src/read-models/port.ts';
import type { MemoryLog } from '../memory-stores.ts';
import type { Waits } from './memory-waits.ts';

const lines = defineCollection<{ readonly folded: readonly number[] }>({
  name: 'ledger',
  partition: 'id',
  indexes: [],
});

/** Where an event of a generated history lies: its request is named after that. */
export const placeOf = ({ metadata: { requestId } }: DomainEvent) => {
  const at = requestId.lastIndexOf('@');
  return { stream: requestId.slice(0, at), revision: Number(requestId.slice(at + 1)) };
};

const note = async (event: DomainEvent, documents: Documents): Promise<void> => {
  const { stream, revision } = placeOf(event);
  const { folded = [] } = (await documents.get(lines, stream)) ?? {};
  documents.put(lines, stream, { folded: [...folded, revision] });
};

/** Keeps of each stream which of its events were folded, in the order in which they were, and never takes one back. */
export const ledger: Projection = {
  name: 'ledger',
  version: 1,
  collections: [lines],
  handlers: Object.fromEntries(eventDefinitions.map(({ type }) => [type, note])),
};

/**
 * What is wrong with how a stream was folded: an event that is missing, there twice, or out of its order. A stream that has
 * waited may have been folded again from there to its end, when that was interrupted before it was known to be done.
 */
const faultOf = (folded: readonly number[], count: number, { at, skipped }: Waits): string | undefined => {
  const beginsAgain = (revision: number) => at.has(revision) || skipped.has(revision - 1);
  let known: number[] = [];
  for (const revision of folded) {
    if (revision <= (known.at(-1) ?? -1)) {
      if (!beginsAgain(revision)) return `event ${revision} again`;
      known = known.filter((each) => each < revision);
    }
    known.push(revision);
  }
  const missing = Array.from({ length: count }, (_, revision) => revision).find(
    (revision) => !known.includes(revision) && !skipped.has(revision),
  );
  return missing === undefined ? undefined : `no event ${missing}`;
};

/** Every stream of the log that a build of the ledger shows to have been folded wrongly. */
export const misfolded = async (
  readModels: ReadModelStore,
  build: string,
  { events }: MemoryLog,
  waitsOf: (build: string, stream: string) => Waits,
): Promise<string[]> => {
  const counts = new Map<string, number>();
  for (const { stream } of events) counts.set(stream, (counts.get(stream) ?? 0) + 1);
  const faults: string[] = [];
  const [own = lines] = buildProjection(ledger, build).collections;
  for (const [stream, count] of counts) {
    const found = await readModels.get(own as typeof lines, stream);
    const { folded = [] } = found?.doc ?? {};
    const fault = faultOf(folded, count, waitsOf(build, stream));
    if (fault !== undefined) faults.push(`${build} has ${fault} of ${stream}: ${folded.join()}`);
  }
  return faults;
};
