import { randomInt, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { NO_STREAM, type EventStore, type Position, type RecordedEvent } from '../../src/event-store/port.ts';
import { appended, newEvents } from './new-events.ts';

/** Letters, so that one category's name begins like another's. */
const newCategory = (): string => `contract${randomInt(2 ** 40).toString(36)}`;

const append = (store: EventStore, stream: string, count: number, revision = NO_STREAM) =>
  appended(store, { stream, expectedRevision: revision, events: newEvents(count) });

/** The part of the contract that only some stores have: events by the streams of a category. */
export const streamsContract = (current: () => EventStore): void => {
  const read = async (
    categories: readonly string[],
    upTo: Position,
    { batchSize = 100, types = ['ContractTried'], after = undefined as string | undefined } = {},
  ): Promise<(readonly RecordedEvent[])[]> => {
    const batches: (readonly RecordedEvent[])[] = [];
    const options = { categories, types, upTo, batchSize, after };
    for await (const batch of current().readStreams?.(options) ?? []) batches.push(batch.events);
    return batches;
  };

  describe('readStreams', () => {
    it('gives stream after stream, whatever the order in the log', async () => {
      const category = newCategory();
      const [one, two] = [`${category}-1`, `${category}-2`];
      await append(current(), two, 2);
      await append(current(), one, 1);
      await append(current(), two, 1, 1);
      await append(current(), one, 2, 0);
      const events = (await read([category], await current().head())).flat();
      expect(events).to.deep.equal([
        ...(await current().readStream(one)),
        ...(await current().readStream(two)),
      ]);
    });

    it('gives the categories in the order in which they are named', async () => {
      const [first, second] = [newCategory(), newCategory()];
      await append(current(), `${second}-a`, 1);
      await append(current(), `${first}-a`, 1);
      const head = await current().head();
      for (const categories of [
        [first, second],
        [second, first],
      ])
        expect((await read(categories, head)).flat().map(({ stream }) => stream)).to.deep.equal(
          categories.map((category) => `${category}-a`),
        );
    });

    it('gives batches no larger than asked, a long stream in several', async () => {
      const category = newCategory();
      await append(current(), `${category}-a`, 5);
      await append(current(), `${category}-b`, 1);
      const batches = await read([category], await current().head(), { batchSize: 2 });
      expect(batches.map(({ length }) => length)).to.deep.equal([2, 2, 2]);
      expect(batches.flat().map(({ revision }) => revision)).to.deep.equal([0, 1, 2, 3, 4, 0]);
    });

    it('leaves out what comes after the position', async () => {
      const category = newCategory();
      const position = await append(current(), `${category}-a`, 2);
      await append(current(), `${category}-a`, 1, 1);
      await append(current(), `${category}-b`, 1);
      expect((await read([category], position)).flat().map(({ revision }) => revision)).to.deep.equal([0, 1]);
    });

    it('goes on after any event with exactly the rest', async () => {
      const [first, second] = [newCategory(), newCategory()];
      for (const stream of [`${first}-a`, `${first}-b`, `${second}-a`]) await append(current(), stream, 3);
      const upTo = await current().head();
      const categories = [first, second];
      const all = (await read(categories, upTo)).flat();
      const options = { categories, types: ['ContractTried'], upTo, batchSize: 2 };
      let count = 0;
      for await (const { events, placeOf } of current().readStreams?.(options) ?? []) {
        for (const event of events)
          expect((await read(categories, upTo, { after: placeOf(event) })).flat()).to.deep.equal(
            all.slice(++count),
          );
      }
      expect(count).to.equal(9);
    });

    it('leaves out other types, and categories whose names begin the same', async () => {
      const category = newCategory();
      await append(current(), `${category}-${randomUUID()}`, 1);
      await append(current(), `${category}x-${randomUUID()}`, 1);
      const head = await current().head();
      expect((await read([category], head)).flat()).to.have.length(1);
      expect(await read([category], head, { types: ['None'] })).to.deep.equal([]);
    });
  });
};
