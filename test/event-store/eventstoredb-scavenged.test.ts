import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import { requireRecordAt } from '../../src/event-store/eventstoredb/records.ts';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { CannotResumeError, START_POSITION, type EventStore, type Position } from '../../src/event-store/port.ts';
import { begin } from '../contract/new-events.ts';
import { batchesAfter, failureAfter } from '../contract/event-store-records.ts';
import { eventually } from '../support/eventually.ts';
import { openLink } from '../faults/link.ts';
import { newPrefix, withServer } from '../support/servers.ts';
import { openOthers, type Others } from './others.ts';

/** More events than the server searches before it reports a checkpoint. */
const MANY = 5_000;
const TYPES = ['ContractTried'];

const streamsAfter = async (store: EventStore, after: Position): Promise<string[]> =>
  (await batchesAfter(store, after)).flatMap(({ events }) => events.map(({ stream }) => stream));

withServer('Positions on EventStoreDB after a scavenge', 'TEST_EVENTSTORE_URL', (url) => {
  describe('Positions on EventStoreDB after a scavenge', () => {
    let prefix: string;
    let store: EventStore;
    let others: Others;
    beforeEach(async () => {
      prefix = newPrefix();
      store = openEventStoreDb({ url, prefix, categories: ['contract'] });
      others = await openOthers(url);
    });
    afterEach(async () => {
      await store.close();
      await others.close();
    });

    /** The position of another service's record that is gone, right before an event of this service. */
    const gone = async () => {
      await begin(store, 1);
      const position = await others.append(1);
      const { stream } = await begin(store, 1);
      await others.append(1);
      await others.scavenge();
      return { position, stream };
    };

    it('nothing stands at one whose record is gone', async () => {
      const { position } = await gone();
      expect(await store.recordAt(position)).to.equal(undefined);
    });

    it('a record that others have written is told without a stream', async () => {
      expect(await store.recordAt(await others.append(1))).to.deep.include({ stream: null, revision: 0 });
    });

    it('a record that is another one than is looked for is not taken for it', async () => {
      const { position } = await begin(store, 1);
      const { id } = (await store.recordAt(position)) ?? {};
      const client = EventStoreDBClient.connectionString(url);
      expect(await requireRecordAt(client, position, id)).to.deep.equal({ position, id });
      const [outcome] = await Promise.allSettled([requireRecordAt(client, position, randomUUID())]);
      expect(outcome.status === 'rejected' && outcome.reason).to.be.instanceOf(CannotResumeError);
      await client.dispose();
    });

    it('a subscription from it fails, instead of leaving out the next event', async () => {
      const { position } = await gone();
      expect(await failureAfter(store, position)).to.be.instanceOf(CannotResumeError);
    });

    it('what is read and counted after it has the next event', async () => {
      const { position, stream } = await gone();
      const events = await store.readAll(position, 10);
      expect(events.map((event) => event.stream)).to.deep.equal([stream]);
      expect(await store.readAll(position, 1)).to.deep.equal(events);
      expect(await store.countAfter(position)).to.equal(1);
    });

    it('all is found though others’ records up to which there was nothing are gone', async () => {
      // Given an event log that was read before it held any event of the service
      await others.append(MANY);
      expect(await store.readAll(START_POSITION, 1)).to.deep.equal([]);
      const { stream, position } = await begin(store, 1);
      await others.append(1);

      // When the other service's records are scavenged
      await others.scavenge();

      // Then the first event is found in every way
      expect(await streamsAfter(store, START_POSITION)).to.deep.equal([stream]);
      expect((await store.readAll(START_POSITION, 10)).map((event) => event.stream)).to.deep.equal([stream]);
      expect(await store.countOf(TYPES, position)).to.equal(1);
      expect(await store.head()).to.equal(position);
    });

    it('a subscription fails that was about to begin when the record went', async () => {
      // Given a subscription that has checked that the record is there
      await begin(store, 1);
      const position = await others.append(1);
      const { stream } = await begin(store, 1);
      await others.append(1);
      const link = await openLink(url);
      const slow = openEventStoreDb({ url: link.urlOf(url), prefix, categories: ['contract'] });
      const asked = link.holdFrom((message) => message.includes(`${prefix}contract-`));
      const failing = failureAfter(slow, position);
      await asked;

      // When the record is removed before the server gets the subscription
      await others.scavenge();
      link.release();

      // Then
      expect(await failing).to.be.instanceOf(CannotResumeError);
      expect(await streamsAfter(slow, START_POSITION)).to.include(stream);
      await slow.close();
      await link.close();
    });

    it('a subscription fails that was dropped, when the record it had come to went meanwhile', async () => {
      // Given a subscription in the midst of another service's events
      await begin(store, 1);
      const own = await store.head();
      const link = await openLink(url);
      const far = openEventStoreDb({ url: link.urlOf(url), prefix, categories: ['contract'] });
      let reached = own;
      const seen: string[] = [];
      const following = (async () => {
        const { signal } = new AbortController();
        for await (const { events, position } of far.subscribe(own, { batchSize: 10, signal, types: TYPES })) {
          reached = position;
          seen.push(...events.map(({ stream }) => stream));
        }
      })().catch((error: unknown) => error);
      let held: Promise<void>;
      do {
        // Tests that run beside this one write to the server as well, and their records stay.
        link.release();
        const before = reached;
        await others.append(MANY);
        await eventually('it has come far', () => reached > before);
        held = link.holdFrom(() => true);
        link.cut();
      } while (!(await others.wrote(reached)));

      // When the record at which its connection was cut is removed before it resumes
      await begin(store, 1);
      await others.append(1);
      await held;
      await others.scavenge();
      link.release();

      // Then
      expect(await following).to.be.instanceOf(CannotResumeError);
      expect(seen).to.deep.equal([]);
      await far.close();
      await link.close();
    });
  });
});
