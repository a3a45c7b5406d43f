import { toBuildProjection } from '../../src/projector/build-projection.ts';
import { decodeDomainEvent, eventDefinitions, type DomainEvent } from '../../src/domain/index.ts';
import type { ProjectionDocuments, Projection } from '../../src/projector/projection.ts';
import { defineCollection, type ReadModelStore } from '../../src/read-models/port.ts';
import type { MemoryLog } from '../support/memory-stores.ts';
import type { SkippedOf } from './memory-parked.ts';

const lines = defineCollection<{ readonly applied: readonly number[] }>({
  name: 'ledger',
  partition: 'id',
  indexes: [],
});

/** The stream and revision of an event of a generated history, which names its request after them. */
export const placeOf = ({ metadata: { requestId } }: DomainEvent) => {
  const at = requestId.lastIndexOf('@');
  return { stream: requestId.slice(0, at), revision: Number(requestId.slice(at + 1)) };
};

const note = (event: DomainEvent, documents: ProjectionDocuments): void => {
  const { stream, revision } = placeOf(event);
  const { applied = [] } = documents.get(lines, stream) ?? {};
  documents.put(lines, stream, { applied: [...applied, revision] });
};

/** Keeps, by stream, which events were applied and in which order; never removes one, so that duplicates show. */
export const ledger: Projection<DomainEvent> = {
  name: 'ledger',
  version: 1,
  collections: [lines],
  decode: decodeDomainEvent,
  handlers: Object.fromEntries(eventDefinitions.map(({ type }) => [type, note])),
};

const faultOf = (applied: readonly number[], count: number, skipped: ReadonlySet<number>): string | undefined => {
  const again = applied.find((revision, index) => revision <= (applied[index - 1] ?? -1));
  if (again !== undefined) return `event ${again} again`;
  const missing = Array.from({ length: count }, (_, revision) => revision).find(
    (revision) => !applied.includes(revision) && !skipped.has(revision),
  );
  return missing === undefined ? undefined : `no event ${missing}`;
};

/** Every stream of the event log that a build of the ledger shows to have been applied wrongly. */
export const misapplied = async (
  readModels: ReadModelStore,
  build: string,
  { events }: MemoryLog,
  skippedOf: SkippedOf,
): Promise<string[]> => {
  const counts = new Map<string, number>();
  for (const { stream } of events) counts.set(stream, (counts.get(stream) ?? 0) + 1);
  const faults: string[] = [];
  const [own = lines] = toBuildProjection(ledger, build).collections;
  for (const [stream, count] of counts) {
    const found = await readModels.get(own as typeof lines, stream);
    const { applied = [] } = found?.doc ?? {};
    const fault = faultOf(applied, count, skippedOf(build, stream));
    if (fault !== undefined) faults.push(`${build} has ${fault} of ${stream}: ${applied.join()}`);
  }
  return faults;
};
