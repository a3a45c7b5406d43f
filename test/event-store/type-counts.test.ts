import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEventReader } from '../../src/event-store/embedded/reader.ts';
import { NO_STREAM, type EventData, type EventStore, type Position } from '../../src/event-store/port.ts';
import { countEventsByType, type EventTypeStatistics } from '../../src/event-store/type-counts.ts';
import { using } from '../../src/lib/using.ts';
import { appended, newEvent, newStream } from '../contract/new-events.ts';
import { newEventStoreDbLog, newMemoryLog } from '../support/log-stores.ts';
import { withServer } from '../support/servers.ts';
import { openLogHere } from '../support/threads-here.ts';

/** An event log, and one way to count its events. */
interface Counted {
  readonly store: EventStore;
  readonly countUpTo: (position: Position) => Promise<EventTypeStatistics[]>;
  readonly count: () => Promise<EventTypeStatistics[]>;
  readonly remove: () => Promise<void>;
}

/** Counts up to a position, and up to the end. */
const ways = (store: EventStore, countUpTo: Counted['countUpTo']): Pick<Counted, 'countUpTo' | 'count'> => ({
  countUpTo,
  count: async () => countUpTo(await store.head()),
});

const inFile = async (): Promise<Counted> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-types-'));
  const file = join(directory, 'events.db');
  const store = await openLogHere(file);
  return {
    store,
    ...ways(store, (position) => using(openEventReader(file), (reader) => countEventsByType(reader, position))),
    async remove() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
};

const read = (open: () => Promise<Pick<Counted, 'store' | 'remove'>>) => async (): Promise<Counted> => {
  const log = await open();
  return { ...log, ...ways(log.store, (position) => countEventsByType(log.store, position)) };
};

const suite = (name: string, open: () => Promise<Counted>): void => {
  describe(`What a log holds, by type and version: ${name}`, () => {
    let log: Counted;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.remove());

    const event = (type: string, version: number, minute: number): EventData => ({
      ...newEvent(),
      type,
      version,
      metadata: { recordedAt: `2026-03-01T09:${String(minute).padStart(2, '0')}:00.000Z` },
    });
    const append = (...events: EventData[]) =>
      appended(log.store, { stream: newStream(), expectedRevision: NO_STREAM, events });

    it('is nothing for an empty log', async () => {
      expect(await log.count()).to.deep.equal([]);
    });

    it('tells of each how many there are, and which are the first and the last', async () => {
      // Given two versions of a type and another type, in two streams
      const first = await append(event('Moved', 1, 1));
      const last = await append(
        event('Moved', 1, 2),
        event('Arrived', 1, 3),
        event('Moved', 2, 4),
        event('Moved', 1, 5),
      );

      // When they are counted
      const counts = await log.count();

      // Then each type and version has its own line, in their order
      expect(counts.map(({ type, version, events }) => [type, version, events])).to.deep.equal([
        ['Arrived', 1, 1],
        ['Moved', 1, 3],
        ['Moved', 2, 1],
      ]);
      expect(counts[1]?.first).to.deep.equal({ position: first, recordedAt: '2026-03-01T09:01:00.000Z' });
      expect(counts[1]?.last).to.deep.equal({ position: last, recordedAt: '2026-03-01T09:05:00.000Z' });
      expect(counts[2]?.first).to.deep.equal(counts[2]?.last);
    });

    it('has no time for an event whose metadata tells none', async () => {
      const position = await append({ ...event('Moved', 1, 1), metadata: {} });
      const place = { position, recordedAt: null };
      expect(await log.count()).to.deep.equal([{ type: 'Moved', version: 1, events: 1, first: place, last: place }]);
    });

    it('is told up to a position', async () => {
      const position = await append(event('Moved', 1, 1), event('Moved', 1, 2));
      await append(event('Moved', 1, 3));
      expect((await log.countUpTo(position)).map(({ events }) => events)).to.deep.equal([2]);
      expect((await log.count()).map(({ events }) => events)).to.deep.equal([3]);
    });

    it('is told of more events than are read at a time', async () => {
      for (let part = 0; part < 3; part++)
        await append(...Array.from({ length: 900 }, (_, index) => event('Moved', (index % 2) + 1, part)));
      expect((await log.count()).map(({ version, events }) => [version, events])).to.deep.equal([
        [1, 1_350],
        [2, 1_350],
      ]);
    });
  });
};

suite('in a file', inFile);
suite('in memory', read(newMemoryLog));
withServer('What a log holds, by type and version: EventStoreDB', 'TEST_EVENTSTORE_URL', (url) =>
  suite('EventStoreDB', read(newEventStoreDbLog(url))),
);
