import { expect } from 'chai';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import {
  CannotResumeError,
  NO_STREAM,
  START_POSITION,
  type EventStore,
  type Position,
} from '../../src/event-store/port.ts';
import { batchesAfter } from '../contract/event-store-records.ts';
import { appended, newEvent, newStream } from '../contract/new-events.ts';
import { eventually } from '../support/eventually.ts';
import { ownServer, withOwnServers, type OwnServer } from '../support/own-servers.ts';
import { newPrefix } from '../support/servers.ts';

const NAME = 'A subscription of an EventStoreDB that is restored from a backup meanwhile';

withOwnServers(NAME, ['eventStore'], () => {
  describe(NAME, function () {
    this.timeout(120_000);
    let server: OwnServer;
    let store: EventStore;
    beforeEach(async () => {
      server = await ownServer('eventStore');
      await server.start();
      store = openEventStoreDb({ url: server.url, prefix: newPrefix(), categories: ['contract'] });
    });
    afterEach(async () => {
      await store.close();
      await server.remove();
    });

    /** Appends one after another; gives the position of the last. */
    const append = async (...texts: readonly string[]): Promise<Position> => {
      let last: Position = START_POSITION;
      for (const text of texts) {
        const events = [newEvent({ text })];
        last = await appended(store, { stream: newStream(), expectedRevision: NO_STREAM, events });
      }
      return last;
    };
    const answers = () =>
      eventually('it answers', async () => {
        await store.head();
        return true;
      });

    /** Has a subscription reach the end, restores the server from an older backup, and appends other events. */
    const restored = async (lost: readonly string[], instead: readonly string[]) => {
      await append('kept');
      await server.kill();
      await server.backUp();
      await server.start();
      await answers();
      const end = await append(...lost);
      let reached: Position = START_POSITION;
      const following = (async () => {
        const { signal } = new AbortController();
        for await (const { position } of store.subscribe(START_POSITION, { batchSize: 10, signal })) reached = position;
      })().catch((error: unknown) => error);
      await eventually('it has come there', () => reached === end);
      await server.kill();
      await server.restore();
      await server.start();
      await answers();
      await append(...instead);
      return { end, failure: await following };
    };
    const texts = async (after: Position) =>
      (await batchesAfter(store, after)).flatMap(({ events }) => events.map(({ data }) => data['text']));

    it('fails where the log ends before its place', async () => {
      const { failure } = await restored(['lost'], []);
      expect(failure).to.be.instanceOf(CannotResumeError);
      expect(await texts(START_POSITION)).to.deep.equal(['kept']);
      expect(await store.head()).to.equal((await store.readAll(START_POSITION, 10)).at(-1)?.position);
    });

    it('fails where another event stands at its place, or near it', async () => {
      const { failure } = await restored(['one'], ['two']);
      expect(failure).to.be.instanceOf(CannotResumeError);
      expect(await texts(START_POSITION)).to.deep.equal(['kept', 'two']);
    });

    it('fails where its place is inside another event', async () => {
      const long = 'x'.repeat(10_000);
      const { end, failure } = await restored(['one', 'two'], [long, 'three']);
      expect(await store.recordAt(end)).to.equal(undefined);
      expect(failure).to.be.instanceOf(CannotResumeError);
      expect(await texts(START_POSITION)).to.deep.equal(['kept', long, 'three']);
    });
  });
});
