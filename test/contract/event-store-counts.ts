import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { NO_STREAM, START_POSITION, type EventStore, type Position } from '../../src/event-store/port.ts';
import { appended, begin, newEvent, newStream } from './new-events.ts';

/** The counts' part of the event store contract; `current` gives the store that is open. */
export const countContract = (current: () => EventStore): void => {
  describe('countOf', () => {
    /** Appends one event of each type, each in a stream of its own; gives the position of the last. */
    const appendOf = (...types: readonly string[]): Promise<Position> => {
      const events = types.map((type) => ({ ...newEvent(), type }));
      return appended(current(), { stream: newStream(), expectedRevision: NO_STREAM, events });
    };
    const count = (types: readonly string[], upTo: Position) => current().countOf(types, upTo);
    const newTypes = () => [randomUUID(), randomUUID(), randomUUID()] as const;

    it('counts the events of some types, and no others', async () => {
      const [one, two, other] = newTypes();
      const head = await appendOf(one, two, other, one);
      expect(await count([one], head)).to.equal(2);
      expect(await count([one, two], head)).to.equal(3);
      expect(await count([], head)).to.equal(0);
    });

    it('counts up to a position, and what lies there as well', async () => {
      const [one] = newTypes();
      const before = await current().head();
      const first = await appendOf(one);
      await appendOf(one, one);
      expect(await count([one], before)).to.equal(0);
      expect(await count([one], first)).to.equal(1);
      expect(await count([one], await current().head())).to.equal(3);
    });

    it('counts nothing before the first event', async () => {
      const [one] = newTypes();
      await appendOf(one);
      expect(await count([one], START_POSITION)).to.equal(0);
    });
  });

  describe('shareOf', () => {
    it('says how far in the log a position is, where there is one', async function () {
      const { shareOf } = current();
      if (!shareOf) this.skip();
      const { position: middle } = await begin(current(), 3);
      const { position: end } = await begin(current(), 2);
      expect(shareOf(START_POSITION, end)).to.equal(0);
      expect(shareOf(middle, end)).to.be.above(0).and.below(1);
      expect([shareOf(end, end), shareOf(end, middle)]).to.deep.equal([1, 1]);
    });
  });
};
