import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { parseGroupEvents } from '../../src/projector/apply-groups.ts';
import {
  NO_STREAM,
  type EventData,
  type EventStore,
  type GroupReadOptions,
  type RecordedEvent,
} from '../../src/event-store/port.ts';
import { appended, idsOf, newEvent, newStream } from './new-events.ts';

const newMember = (): string => `member-${randomUUID()}`;
/** A type that only one test's events have, so that the test reads no other events. */
const newType = (): string => `ContractTried${randomUUID()}`;

interface ReadBatch {
  readonly events: readonly RecordedEvent[];
  readonly ended: string | undefined;
}

/** The groups' part of the event store contract; `current` gives the store that is open. */
export const groupContract = (current: () => EventStore): void => {
  let type: string;
  let by: string;
  beforeEach(() => {
    type = newType();
    by = newMember();
  });
  const inGroup = (group: string): EventData => ({ ...newEvent({ [by]: group }), type });
  const outside = (): EventData => ({ ...newEvent(), type });
  /** Appends each event to a stream of its own, in this order. */
  const append = async (...events: readonly EventData[]): Promise<void> => {
    for (const event of events)
      await appended(current(), { stream: newStream(), expectedRevision: NO_STREAM, events: [event] });
  };
  const read = async (
    more: Partial<GroupReadOptions> = {},
    signal = new AbortController().signal,
  ): Promise<ReadBatch[]> => {
    const batches: ReadBatch[] = [];
    const options = { by, types: [type], upTo: await current().head(), batchSize: 100, ...more };
    for await (const batch of current().readGroups(options, signal))
      batches.push({ events: parseGroupEvents(batch).flat(), ended: batch.ended });
    return batches;
  };
  const idsIn = (batches: readonly ReadBatch[]): string[] => idsOf(batches.flatMap(({ events }) => events));

  describe('readGroups', () => {
    it('gives group after group, those without the member first, and each in the order of the log', async () => {
      const [b1, a1, none1, b2, none2, a2] = [
        inGroup('b'),
        inGroup('a'),
        outside(),
        inGroup('b'),
        outside(),
        inGroup('a'),
      ];
      await append(b1, a1, none1, b2, none2, a2);
      expect(idsIn(await read())).to.deep.equal(idsOf([none1, none2, a1, a2, b1, b2]));
    });

    it('tells the groups of a batch apart', async () => {
      await append(...['a', 'b', 'a', 'c'].map(inGroup));
      const options = { by, types: [type], upTo: await current().head(), batchSize: 100 };
      const groups: unknown[][] = [];
      for await (const batch of current().readGroups(options, new AbortController().signal))
        for (const events of parseGroupEvents(batch)) groups.push(events.map(({ data }) => data[by]));
      expect(groups).to.deep.equal([['a', 'a'], ['b'], ['c']]);
    });

    it('gives events as every other read does', async () => {
      const stream = newStream();
      await appended(current(), { stream, expectedRevision: NO_STREAM, events: [inGroup('a'), inGroup('a')] });
      const [batch] = await read();
      expect(batch?.events).to.deep.equal(await current().readStream(stream));
    });

    it('takes an event whose member is no text for one without it', async () => {
      const others = [7, true, null, ['a'], { a: 'b' }].map((value) => ({ ...newEvent({ [by]: value }), type }));
      const [a] = [inGroup('a')];
      await append(a, ...others);
      expect(idsIn(await read())).to.deep.equal(idsOf([...others, a]));
    });

    it('ends a full batch with a group, and says that it has ended', async () => {
      await append(...['a', 'a', 'b', 'c', 'c', 'c', 'd'].map(inGroup));
      const batches = await read({ batchSize: 2 });
      expect(batches.map(({ events, ended }) => [events.length, ended !== undefined])).to.deep.equal([
        [2, true],
        [4, true],
        [1, true],
      ]);
    });

    it('gives a group in several batches that would make one of more than twice as many', async () => {
      await append(...['a', 'a', 'a', 'a', 'a', 'b'].map(inGroup));
      const batches = await read({ batchSize: 2 });
      expect(batches.map(({ events, ended }) => [events.length, ended !== undefined])).to.deep.equal([
        [4, false],
        [2, true],
      ]);
    });

    it('goes on after any group with exactly the rest', async () => {
      await append(outside(), ...['b', 'a', 'c', 'b'].map(inGroup));
      const groups = await read({ batchSize: 1 });
      expect(groups).to.have.length(4);
      for (const [index, { ended }] of groups.entries())
        expect(idsIn(await read({ after: ended })), `after ${ended}`).to.deep.equal(idsIn(groups.slice(index + 1)));
    });

    it('leaves out what comes after the position, and other types', async () => {
      const event = inGroup('a');
      await append(event);
      const upTo = await current().head();
      await append(inGroup('a'), { ...inGroup('a'), type: `${type}Not` });
      expect(idsIn(await read({ upTo }))).to.deep.equal([event.id]);
      expect(await read({ types: ['None'] })).to.deep.equal([]);
    });

    it('ends when it is to', async () => {
      await append(...['a', 'b', 'c'].map(inGroup));
      const aborting = new AbortController();
      const options = { by, types: [type], upTo: await current().head(), batchSize: 1 };
      let count = 0;
      for await (const batch of current().readGroups(options, aborting.signal)) {
        count += parseGroupEvents(batch).flat().length;
        aborting.abort();
      }
      expect(count).to.equal(1);
    });
  });
};
