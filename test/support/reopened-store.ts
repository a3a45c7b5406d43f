import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { START_POSITION, type EventStore } from '../../src/event-store/port.ts';
import type { HandleCommand } from '../../src/application/handle-command.ts';
import { handlerOn } from './sending.ts';
import { openLogHere } from './threads-here.ts';

/** An event store on files of its own, with a handler; reopening replaces both. */
export interface ReopenedStore {
  readonly directory: string;
  readonly store: EventStore;
  readonly handle: HandleCommand;
  types(): Promise<string[]>;
  reopen(): Promise<void>;
  remove(): Promise<void>;
}

export const openStore = async (): Promise<ReopenedStore> => {
  const directory = await mkdtemp(join(tmpdir(), 'idempotency-'));
  const open = async () => {
    const store = await openLogHere(join(directory, 'events.db'));
    return { store, handle: handlerOn(store) };
  };
  let opened = await open();
  return {
    directory,
    get store() {
      return opened.store;
    },
    get handle() {
      return opened.handle;
    },
    types: async () => (await opened.store.readAll(START_POSITION, 1_000)).map(({ type }) => type),
    async reopen() {
      await opened.store.close();
      opened = await open();
    },
    async remove() {
      await opened.store.close();
      await rm(directory, { recursive: true });
    },
  };
};
