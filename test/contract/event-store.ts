import { expect } from 'chai';
import { byPosition, START_POSITION, type EventStore } from '../../src/event-store/port.ts';
import { appendContract } from './event-store-appends.ts';
import { claimContract } from './event-store-claims.ts';
import { countContract } from './event-store-counts.ts';
import { idempotencyRecordContract } from './event-store-idempotency-records.ts';
import { groupContract } from './event-store-groups.ts';
import { recordedTimesContract } from './event-store-recorded-times.ts';
import { foreignContract, recordContract, type WriteForeign } from './event-store-records.ts';
import { subscriptionContract } from './event-store-subscriptions.ts';
import { appended, begin, newEvents, newStream, readPages } from './new-events.ts';

export interface OpenedEventStore {
  readonly store: EventStore;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<EventStore>;
  readonly writeForeign: WriteForeign;
  /** Closes whichever store is open and removes the data. */
  close(): Promise<void>;
}

/**
 * The contract of every event store.
 *
 * @param name of the adapter
 * @param open opens a store to which the suite alone appends; it may hold events already
 */
export const eventStoreContract = (name: string, open: () => Promise<OpenedEventStore>): void => {
  describe(`event store contract: ${name}`, () => {
    let opened: OpenedEventStore;
    let store: EventStore;
    before(async () => {
      opened = await open();
      store = opened.store;
    });
    after(() => opened.close());
    const reopen = async () => (store = await opened.reopen());

    describe('readStream', () => {
      it('gives the events from a revision on', async () => {
        const { stream } = await begin(store, 5);
        expect((await store.readStream(stream, 3)).map(({ revision }) => revision)).to.deep.equal([3, 4]);
      });

      it('gives nothing past the end', async () => {
        const { stream } = await begin(store, 2);
        expect(await store.readStream(stream, 2)).to.deep.equal([]);
      });

      it('gives nothing for an unknown stream', async () => {
        expect(await store.readStream(newStream())).to.deep.equal([]);
      });
    });

    describe('readStreams', () => {
      it('gives the events of many streams', async () => {
        const [one, other] = [await begin(store, 3), await begin(store, 2)];
        const unknown = Array.from({ length: 500 }, newStream);
        const read = await store.readStreams([one.stream, ...unknown, other.stream, one.stream]);
        expect([...read].sort(byPosition)).to.deep.equal([
          ...(await store.readStream(one.stream)),
          ...(await store.readStream(other.stream)),
        ]);
      });
    });

    describe('readAll', () => {
      it('gives the log in pages, without a gap or an overlap', async () => {
        const head = await store.head();
        const streams = [await begin(store, 10), await begin(store, 10), await begin(store, 5)];
        const written = await Promise.all(streams.map(({ stream }) => store.readStream(stream)));
        const pages = await readPages(store, head, 10);
        expect(pages.map(({ length }) => length)).to.deep.equal([10, 10, 5, 0]);
        expect(pages.flat()).to.deep.equal(written.flat());
      });

      it('begins before the first event', async () => {
        await begin(store, 1);
        const [first] = await store.readAll(START_POSITION, 1);
        expect(first?.position)
          .to.be.a('string')
          .that.satisfies((position: string) => position > START_POSITION);
      });

      it('gives positions whose order as text is that of the log', async () => {
        const head = await store.head();
        for (let round = 0; round < 12; round++) await begin(store, 10);
        const positions = (await store.readAll(head, 1_000)).map(({ position }) => position);
        expect(positions).to.have.length(120);
        expect(positions).to.deep.equal([...new Set(positions)].sort());
      });
    });

    describe('head and countAfter', () => {
      it('tell the last position, and how many events there are after another', async () => {
        const start = await store.head();
        const { position } = await begin(store, 4);
        const [first] = await store.readAll(start, 1);
        expect(await store.head()).to.equal(position);
        expect(await store.countAfter(start)).to.equal(4);
        expect(await store.countAfter(first?.position ?? '')).to.equal(3);
        expect(await store.countAfter(position)).to.equal(0);
      });
    });

    describe('after it was opened again', () => {
      it('has every event at its place', async () => {
        const start = await store.head();
        await begin(store, 3);
        const written = await store.readAll(start, 10);
        await reopen();
        expect(await store.readAll(start, 10)).to.deep.equal(written);
        expect(await store.head()).to.equal(written.at(-1)?.position);
      });

      it('goes on where the log and the stream ended', async () => {
        const { stream, position } = await begin(store, 3);
        await reopen();
        expect(await store.append({ stream, expectedRevision: 1, events: newEvents(1) })).to.deep.equal({
          kind: 'wrong-revision',
        });
        const next = await appended(store, { stream, expectedRevision: 2, events: newEvents(1) });
        expect(next > position).to.equal(true);
      });
    });

    recordContract(() => store);
    recordedTimesContract(() => store);
    groupContract(() => store);
    foreignContract(
      () => store,
      () => opened.writeForeign,
    );
    countContract(() => store);
    appendContract(() => store);
    idempotencyRecordContract(() => store, reopen);
    claimContract(() => store);
    subscriptionContract(() => store);
  });
};
