import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { recordPosting } from '../../commands/postings/record-posting.ts';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import { createCommandHandler } from '../../src/application/handle-command.ts';
import { bodies, ids } from '../support/examples.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { refusalOf } from '../support/refusal-of.ts';
import { handlerOn, send, testPorts, type Request } from '../support/sending.ts';
import { newPrefix, withServer } from '../support/servers.ts';

const INSTANCES = 8;
const WRITES = 20;

const recording = (title: string): Request => ({
  params: { id: ids.posting },
  body: { ...bodies.posting, title },
  ports: { ids: { uuid: () => crypto.randomUUID(), code: () => '' } },
});

/** Eight instances that each record twenty titles of one posting; gives the errors. */
const writeTogether = async (stores: readonly EventStore[]): Promise<unknown[]> => {
  const outcomes = await Promise.allSettled(
    stores.map(async (store, instance) => {
      const handle = handlerOn(store);
      for (let write = 0; write < WRITES; write++)
        await send(handle, recordPosting, recording(`Title ${instance}-${write}`));
    }),
  );
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
};

/** A store whose answers take at least one turn of the event loop, as a server's do. */
const farAway = (store: EventStore): EventStore => ({
  ...store,
  async append(append) {
    await turn();
    return store.append(append);
  },
  async readStream(stream, from) {
    const events = await store.readStream(stream, from);
    await turn();
    return events;
  },
});

describe('Eight instances that write one stream', () => {
  it('are none of them refused: in memory', async () => {
    const store = farAway(openMemoryEventStore());
    expect(await writeTogether(Array.from({ length: INSTANCES }, () => store))).to.deep.equal([]);
    expect(await store.readStream(`posting-${ids.posting}`)).to.have.length(INSTANCES * WRITES);
  });

  withServer('are none of them refused: EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
    it('are none of them refused: EventStoreDB', async () => {
      const settings = { url, prefix: newPrefix(), categories: ['posting'] };
      const stores = Array.from({ length: INSTANCES }, () => openEventStoreDb(settings));
      try {
        expect(await writeTogether(stores)).to.deep.equal([]);
        const [one] = stores;
        expect(await one?.readStream(`posting-${ids.posting}`)).to.have.length(INSTANCES * WRITES);
      } finally {
        for (const store of stores) await store.close();
      }
    });
  });
});

describe('A command that loses every race', () => {
  const losing = () => {
    let appends = 0;
    const store: EventStore = {
      ...openMemoryEventStore(),
      append() {
        appends++;
        return Promise.resolve({ kind: 'wrong-revision' });
      },
    };
    return { store, appends: () => appends };
  };

  it('is refused as unavailable after ten of them, and no conflict', async () => {
    const { store, appends } = losing();
    const { handle } = createCommandHandler(store, testPorts(), { pause: () => Promise.resolve() });
    expect(await refusalOf(send(handle, recordPosting, recording('Title')))).to.include({
      reason: 'unavailable',
      retryAfter: 1,
    });
    expect(appends()).to.equal(10);
  });

  it('pauses between them, longer and longer and never twice the same', async () => {
    const pausesOf = async () => {
      const pauses: number[] = [];
      const { handle } = createCommandHandler(losing().store, testPorts(), {
        pause: (milliseconds) => Promise.resolve(pauses.push(milliseconds)),
      });
      await refusalOf(send(handle, recordPosting, recording('Title')));
      return pauses;
    };
    const [pauses, others] = [await pausesOf(), await pausesOf()];
    const [first = Infinity] = pauses;
    expect(pauses).to.have.length(9);
    expect(pauses.at(-1)).to.be.greaterThan(5 * first);
    expect(others).not.to.deep.equal(pauses);
  });
});
