import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createEventTypeCounter } from '../../src/event-store/embedded/event-type-counter.ts';
import { NO_STREAM, type EventStore } from '../../src/event-store/port.ts';
import { openReader, type Connection } from '../../src/sqlite/connections.ts';
import { appended, newEvent, newStream } from '../contract/new-events.ts';
import { openLogHere } from '../support/threads-here.ts';

const PART = 3;

describe('Counting the events of an embedded log, part by part', () => {
  let directory: string;
  let store: EventStore;
  let connection: Connection;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-counts-'));
    store = await openLogHere(join(directory, 'events.db'));
    connection = openReader(join(directory, 'events.db'));
  });
  afterEach(async () => {
    connection.close();
    await store.close();
    await rm(directory, { recursive: true });
  });

  const append = (...types: readonly string[]) => {
    const events = types.map((type) => ({ ...newEvent(), type }));
    return appended(store, { stream: newStream(), expectedRevision: NO_STREAM, events });
  };

  it('is right at every position, whichever was asked for first', async () => {
    const types = ['a', 'b', 'a', 'c', 'a', 'b', 'a', 'a'];
    await append(...types);
    const counts = createEventTypeCounter(connection, 'events.db', PART);
    for (const upTo of [8, 0, 1, 2, 3, 4, 5, 6, 7]) {
      const expected = types.slice(0, upTo).filter((type) => type !== 'c').length;
      expect(await counts.of(['a', 'b'], upTo), `up to ${upTo}`).to.equal(expected);
    }
  });

  it('counts what was appended since, for several who ask at once', async () => {
    await append('a', 'b', 'a', 'c');
    const counts = createEventTypeCounter(connection, 'events.db', PART);
    expect(await counts.of(['a'], 4)).to.equal(2);
    await append('a', 'a', 'a', 'b');
    expect(await Promise.all([counts.of(['a'], 8), counts.of(['b', 'c'], 8)])).to.deep.equal([5, 3]);
  });
});
