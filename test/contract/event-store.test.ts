import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { streamCategories } from '../../src/domain/index.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { NO_STREAM, START_POSITION } from '../../src/event-store/port.ts';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { createPlaceholderContent } from '../../src/event-store/foreign-event.ts';
import { writeForeign } from '../support/foreign-events.ts';
import { memoryLog, openMemoryEventStore } from '../support/memory-stores.ts';
import { newPrefix, withServer } from '../support/servers.ts';
import { eventStoreContract, type OpenedEventStore } from './event-store.ts';
import { appended, begin, newEvent, newIdempotencyRecord, newStream } from './new-events.ts';

const openEmbedded = async (): Promise<OpenedEventStore> => {
  const directory = await mkdtemp(join(tmpdir(), 'event-store-'));
  const file = join(directory, 'events.db');
  const open = () => openEmbeddedEventStore(file);
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      return (store = await open());
    },
    writeForeign: (stream, type) => writeForeign({ kind: 'sqlite', path: file }, stream, type),
    async close() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
};

describe('a file of events that another process wrote to', () => {
  it('is read again after an append was refused', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'event-store-'));
    const file = join(directory, 'events.db');
    const [store, other] = [await openEmbeddedEventStore(file), await openEmbeddedEventStore(file)];
    try {
      const stream = newStream();
      await appended(store, { stream, expectedRevision: NO_STREAM, events: [newEvent()] });
      const second = { stream, expectedRevision: 0, events: [newEvent()] };
      await appended(other, second);
      expect(await store.append({ ...second, events: [newEvent()] })).to.deep.equal({ kind: 'wrong-revision' });
      expect((await store.readStream(stream, 1)).map(({ id }) => id)).to.deep.equal([second.events[0]?.id]);
    } finally {
      await store.close();
      await other.close();
      await rm(directory, { recursive: true });
    }
  });
});

const openMemory = (): Promise<OpenedEventStore> => {
  const log = memoryLog();
  let store = openMemoryEventStore(log);
  return Promise.resolve({
    store,
    async reopen() {
      await store.close();
      return (store = openMemoryEventStore(log));
    },
    writeForeign: (stream, type) => {
      const position = String(log.events.length + 1).padStart(6, '0');
      const content = createPlaceholderContent('data');
      log.events.push({ ...content, id: randomUUID(), type, stream, revision: 0, position });
      return Promise.resolve();
    },
    close: () => store.close(),
  });
};

const openEventStoreDbAt = (url: string) => (): Promise<OpenedEventStore> => {
  const prefix = newPrefix();
  const open = () => openEventStoreDb({ url, prefix, categories: ['contract'] });
  let store = open();
  return Promise.resolve({
    store,
    async reopen() {
      await store.close();
      return (store = open());
    },
    writeForeign: (stream, type) =>
      writeForeign({ kind: 'eventstoredb', url, prefix, categories: streamCategories }, stream, type),
    close: () => store.close(),
  });
};

const suite = (name: string, open: () => Promise<OpenedEventStore>): void => {
  eventStoreContract(name, open);

  describe(`an empty event store: ${name}`, () => {
    let opened: OpenedEventStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('has its head at the start', async () => {
      expect(await opened.store.head()).to.equal(START_POSITION);
      expect(await opened.store.countAfter(START_POSITION)).to.equal(0);
    });

    it('keeps an idempotency record without events at the start', async () => {
      const append = {
        stream: newStream(),
        expectedRevision: NO_STREAM,
        events: [],
        idempotencyRecord: newIdempotencyRecord(),
      };
      expect(await appended(opened.store, append)).to.equal(START_POSITION);
    });
  });
};

suite('embedded', openEmbedded);
suite('memory', openMemory);
withServer('event store contract: EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
  suite('EventStoreDB', openEventStoreDbAt(url));

  describe('a count in EventStoreDB', () => {
    it('goes over as many reads as it takes, up to a number that it says', async () => {
      const opened = await openEventStoreDbAt(url)();
      const { store } = opened;
      const events = Array.from({ length: 1_001 }, () => newEvent());
      await appended(store, { stream: newStream(), expectedRevision: NO_STREAM, events });
      // On a busy machine it ends earlier, at a full read.
      expect(await store.countAfter(START_POSITION)).to.be.oneOf([500, 1_000, 1_001]);
      await opened.close();
    });
  });

  describe('an EventStoreDB that two services share', () => {
    it('gives neither what is of the other, though it is of the same type', async () => {
      const [ours, theirs] = [await openEventStoreDbAt(url)(), await openEventStoreDbAt(url)()];
      await begin(theirs.store, 2);
      await begin(ours.store, 1);
      await begin(theirs.store, 1);
      const options = { batchSize: 10, signal: new AbortController().signal, types: ['ContractTried'] };
      for await (const { events } of ours.store.subscribe(START_POSITION, options)) {
        expect(events).to.deep.equal(await ours.store.readAll(START_POSITION, 10));
        break;
      }
      await ours.close();
      await theirs.close();
    });
  });
});
