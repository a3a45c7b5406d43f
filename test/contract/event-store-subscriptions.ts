import { expect } from 'chai';
import {
  NO_STREAM,
  type EventBatch,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../src/event-store/port.ts';
import { appended, begin, idsOf, newEvent, newStream } from './new-events.ts';

/** Takes batches from a subscription until they hold so many events. */
const take = async (
  store: EventStore,
  after: Position,
  count: number,
  batchSize = 10,
): Promise<(readonly RecordedEvent[])[]> => {
  const stopping = new AbortController();
  const batches: (readonly RecordedEvent[])[] = [];
  for await (const { events } of store.subscribe(after, { batchSize, signal: stopping.signal })) {
    batches.push(events);
    if (batches.flat().length >= count) stopping.abort();
  }
  return batches;
};

/** Together the writers append fewer events than a batch holds (1,000). */
const WRITERS = 8;
const MAX_WRITTEN = 100;
const LASTS = 5;

/** The subscriptions' part of the event store contract; `current` gives the store that is open. */
export const subscriptionContract = (current: () => EventStore): void => {
  const fromHead = async (signal: AbortSignal) => {
    const subscription = current().subscribe(await current().head(), { batchSize: 10, signal });
    return subscription[Symbol.asyncIterator]();
  };

  describe('subscribe', () => {
    it('gives what is there, in batches no larger than asked', async () => {
      const start = await current().head();
      await begin(current(), 7);
      const batches = await take(current(), start, 7, 3);
      expect(batches.map(({ length }) => length)).to.deep.equal([3, 3, 1]);
      expect(batches.flat()).to.deep.equal(await current().readAll(start, 10));
    });

    it('goes on from a position, without the event at it', async () => {
      const { position } = await begin(current(), 3);
      const { stream } = await begin(current(), 2);
      const [batch] = await take(current(), position, 2);
      expect(batch).to.deep.equal(await current().readStream(stream));
    });

    it('catches up and goes on live without a gap or a duplicate while appends go on', async () => {
      const start = await current().head();
      await begin(current(), 40);
      const appends = async () => {
        for (let round = 0; round < 20; round++)
          await Promise.all([begin(current(), 1), begin(current(), 3), begin(current(), 1)]);
      };
      const [batches] = await Promise.all([take(current(), start, 140, 8), appends()]);
      expect(idsOf(batches.flat())).to.deep.equal(idsOf(await current().readAll(start, 1_000)));
      expect(batches.every(({ length }) => length <= 8)).to.equal(true);
    });

    it('says that the log ends there also while others write all the time', async () => {
      const stopping = new AbortController();
      const { signal } = stopping;
      let lasts = 0;
      const follow = async () => {
        const start = await current().head();
        for await (const { isLast } of current().subscribe(start, { batchSize: 1_000, signal }))
          if (isLast && ++lasts === LASTS) stopping.abort();
      };
      const write = async () => {
        for (let written = 0; written < MAX_WRITTEN && !signal.aborted; written++) await begin(current(), 1);
        stopping.abort();
      };
      await Promise.all([follow(), ...Array.from({ length: WRITERS }, write)]);
      expect(lasts).to.equal(LASTS);
    });

    it('says where each batch ends, and whether the log ends there', async () => {
      const start = await current().head();
      await begin(current(), 5);
      const head = await current().head();
      const seen: EventBatch[] = [];
      for await (const batch of current().subscribe(start, { batchSize: 3, signal: new AbortController().signal })) {
        seen.push(batch);
        if (batch.isLast) break;
      }
      expect(seen.map(({ isLast }) => isLast)).to.deep.equal([false, true]);
      expect(seen.map(({ position }) => position)).to.deep.equal([seen[0]?.events.at(-1)?.position, head]);
    });

    it('says that the log ends there also when the last batch was full', async () => {
      const start = await current().head();
      await begin(current(), 6);
      const { signal } = new AbortController();
      for (const only of [{}, { types: ['ContractTried'] }]) {
        const given: RecordedEvent[] = [];
        for await (const { events, isLast } of current().subscribe(start, { batchSize: 3, signal, ...only })) {
          given.push(...events);
          if (isLast) break;
        }
        expect(given).to.deep.equal(await current().readAll(start, 10));
      }
    });

    it('leaves out the types that are not wanted, and goes past them', async () => {
      const start = await current().head();
      await begin(current(), 4);
      const { signal } = new AbortController();
      for await (const batch of current().subscribe(start, { batchSize: 10, signal, types: ['None'] })) {
        expect(batch).to.deep.include({ events: [], position: await current().head(), isLast: true });
        break;
      }
      const [type = ''] = (await current().readAll(start, 1)).map((event) => event.type);
      for await (const { events } of current().subscribe(start, { batchSize: 10, signal, types: [type] })) {
        expect(events).to.deep.equal(await current().readAll(start, 10));
        break;
      }
    });

    it('goes on live with the types that are wanted, past the others', async () => {
      const start = await current().head();
      await begin(current(), 2);
      const stopping = new AbortController();
      const options = { batchSize: 1, signal: stopping.signal, types: ['ContractTried'] };
      const given: RecordedEvent[] = [];
      for await (const { events } of current().subscribe(start, options)) {
        given.push(...events);
        if (given.length === 2 && events.length > 0) {
          const other = { ...newEvent(), type: 'ContractLeftOut' };
          await appended(current(), { stream: newStream(), expectedRevision: NO_STREAM, events: [other] });
          await begin(current(), 1);
        }
        if (given.length === 3) stopping.abort();
      }
      const all = await current().readAll(start, 10);
      expect(all).to.have.length(4);
      expect(given).to.deep.equal(all.filter(({ type }) => type === 'ContractTried'));
    });

    it('gives every subscriber everything', async () => {
      const start = await current().head();
      const subscribers = [take(current(), start, 12), take(current(), start, 12, 1), take(current(), start, 12, 5)];
      for (let round = 0; round < 4; round++) await begin(current(), 3);
      const expected = idsOf(await current().readAll(start, 100));
      for (const batches of await Promise.all(subscribers)) expect(idsOf(batches.flat())).to.deep.equal(expected);
    });

    it('waits while nothing happens, and gives the next event when it comes', async () => {
      const stopping = new AbortController();
      const batches = await fromHead(stopping.signal);
      let isThere = false;
      const next = batches.next().finally(() => (isThere = true));
      // Each append is a full turn of the store: a batch that it had ready would have arrived.
      for (let turn = 0; turn < 10; turn++)
        await current().append({ stream: 'contract-none', expectedRevision: 5, events: [] });
      expect(isThere).to.equal(false);
      const { stream, position } = await begin(current(), 1);
      const events = await current().readStream(stream);
      expect((await next).value).to.deep.include({ events, position, isLast: true });
      stopping.abort();
      expect((await batches.next()).done).to.equal(true);
    });

    it('ends when it is aborted while it waits', async () => {
      const stopping = new AbortController();
      const batches = await fromHead(stopping.signal);
      const next = batches.next();
      stopping.abort();
      expect((await next).done).to.equal(true);
    });

    it('ends when it is aborted while it catches up', async () => {
      const start = await current().head();
      await begin(current(), 9);
      expect(await take(current(), start, 1, 3)).to.have.length(1);
    });

    it('gives nothing when it was aborted before', async () => {
      const start = await current().head();
      await begin(current(), 1);
      const batches: EventBatch[] = [];
      for await (const batch of current().subscribe(start, { batchSize: 1, signal: AbortSignal.abort() }))
        batches.push(batch);
      expect(batches).to.deep.equal([]);
    });

    it('can be left in the middle, and the store goes on', async () => {
      const start = await current().head();
      await begin(current(), 4);
      const { signal } = new AbortController();
      for await (const batch of current().subscribe(start, { batchSize: 2, signal })) {
        expect(batch.events).to.have.length(2);
        break;
      }
      const { stream } = await begin(current(), 1);
      expect(await current().readStream(stream)).to.have.length(1);
    });
  });
};
