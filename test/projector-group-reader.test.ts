import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '../src/event-store/embedded.ts';
import type { EventStore, GroupBatch, GroupRead } from '../src/event-store/port.ts';
import { groupReader } from '../src/projector/group-reader.ts';
import { begin } from './contract/new-events.ts';

const collect = async (batches: AsyncIterable<GroupBatch>): Promise<GroupBatch[]> => {
  const all: GroupBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
};

describe('groups that are read in a thread of their own', () => {
  let directory: string;
  let store: EventStore;
  let read: GroupRead;
  const path = () => join(directory, 'events.db');
  const inThread = () => groupReader({ kind: 'sqlite', path: path() }, () => undefined);
  const { signal } = new AbortController();
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'group-reader-'));
    store = await openEmbeddedEventStore(path());
    const { position } = await begin(store, 50);
    read = { by: 'number', types: ['ContractTried'], upTo: position, batchSize: 1 };
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('are those that the event store gives, many more than are read ahead', async () => {
    const given = await collect(inThread()(read, signal));
    expect(given).to.have.length.above(10);
    expect(given).to.deep.equal(await collect(store.readGroups(read, signal)));
  });

  it('end when they are to', async () => {
    const aborting = new AbortController();
    let count = 0;
    for await (const _ of inThread()(read, aborting.signal)) {
      count++;
      aborting.abort();
    }
    expect(count).to.equal(1);
  });

  it('end where the reader of them leaves off', async () => {
    for await (const { text } of inThread()(read, signal)) {
      expect(text).to.include('ContractTried');
      break;
    }
  });

  it('fail where the log cannot be read', async () => {
    const nowhere = groupReader(
      { kind: 'sqlite', path: join(directory, 'not-there', 'events.db') },
      () => undefined,
    );
    const failed = await collect(nowhere(read, signal)).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
  });
});
