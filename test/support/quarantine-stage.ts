import { decodeDomainEvent, type DomainEvent } from '../../src/domain/index.ts';
import type { StreamRelease } from '../../src/projector/release.ts';
import { START_POSITION, type EventStore, type Position } from '../../src/event-store/port.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { metadata } from './examples.ts';

export const now = '2026-03-01T09:30:00.000Z';

/** A release of a stream that is parked at an event; by default the first release. */
export const releaseOf = (
  stream: string,
  event: string,
  { kind = 'retry', number = 1 }: Partial<StreamRelease> = {},
): StreamRelease => ({ number, stream, revision: 0, event, kind });

export const offices = defineCollection<{ readonly names: readonly string[] }>({
  name: 'offices',
  partition: 'id',
  indexes: [],
});
export const counts = defineCollection<{ readonly count: number }>({ name: 'counts', partition: 'id', indexes: [] });

/** Keeps all names that each office ever had, and counts the revisions; fails at the names that the test chooses. */
export const officeNames = (fails: (name: string) => boolean) => {
  const tried: string[] = [];
  const projection: Projection<DomainEvent> = {
    name: 'office-names',
    version: 1,
    collections: [offices, counts],
    decode: decodeDomainEvent,
    handlers: {
      OfficeRecorded({ data: { officeId, officeName } }, documents) {
        tried.push(officeName);
        const count = documents.get(counts, officeId)?.count ?? 0;
        documents.put(counts, officeId, { count: count + 1 });
        if (fails(officeName)) throw new Error(`cannot apply ${officeName}`);
        const names = documents.get(offices, officeId)?.names ?? [];
        documents.put(offices, officeId, { names: [...names, officeName] });
      },
    },
  };
  return { projection, tried };
};

/** Records names of an office, one event each; gives the last position. */
export const recordOffice = async (
  eventStore: EventStore,
  office: string,
  ...names: readonly string[]
): Promise<Position> => {
  const stream = `office-${office}`;
  let { length } = await eventStore.readStream(stream);
  let last = START_POSITION;
  for (const officeName of names) {
    const data = { officeId: office, officeName, address: [], officeInfo: null };
    const event = { id: `${office} ${officeName}`, type: 'OfficeRecorded', version: 1, data, metadata };
    const result = await eventStore.append({ stream, expectedRevision: length - 1, events: [event] });
    length++;
    if (result.kind === 'appended') last = result.position;
  }
  return last;
};
