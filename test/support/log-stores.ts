import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { START_POSITION, type EventStore, type RecordedEvent } from '../../src/event-store/port.ts';
import { openMemoryEventStore } from './memory-stores.ts';
import { newPrefix } from './servers.ts';
import { openLogHere } from './threads-here.ts';

/** An empty event log of a test's own, of any kind. */
export interface LogStore {
  readonly store: EventStore;
  readonly remove: () => Promise<void>;
}

export const newMemoryLog = (): Promise<LogStore> => {
  const store = openMemoryEventStore();
  return Promise.resolve({ store, remove: () => store.close() });
};

export const newEmbeddedLog = async (): Promise<LogStore> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-log-'));
  const store = await openLogHere(join(directory, 'events.db'));
  return {
    store,
    async remove() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
};

/** For streams of the category that `contract/new-events.ts` makes. */
export const newEventStoreDbLog = (url: string) => (): Promise<LogStore> => {
  const store = openEventStoreDb({ url, prefix: newPrefix(), categories: ['contract'] });
  return Promise.resolve({ store, remove: () => store.close() });
};

/** The events of each stream, without their positions, which depend on the store. */
export const streamsIn = async (store: EventStore): Promise<Record<string, Omit<RecordedEvent, 'position'>[]>> => {
  const streams: Record<string, Omit<RecordedEvent, 'position'>[]> = {};
  for (const { position: _, ...event } of await store.readAll(START_POSITION, 10_000))
    (streams[event.stream] ??= []).push(event);
  return streams;
};

/** All events of a log in its order, without their positions. */
export const eventsIn = async (store: EventStore): Promise<Omit<RecordedEvent, 'position'>[]> =>
  (await store.readAll(START_POSITION, 100_000)).map(({ position: _, ...event }) => event);
