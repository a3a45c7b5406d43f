import { expect } from 'chai';
import { parseGroupEvents } from '../../src/projector/apply-groups.ts';
import {
  CannotResumeError,
  NO_STREAM,
  START_POSITION,
  type EventBatch,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../src/event-store/port.ts';
import { begin, newEvent, newStream, appended, idsOf } from './new-events.ts';

const OTHER_KIND = 'another kind of position';

/** What a subscription gives until it says that the event log ends. */
export const batchesAfter = async (
  store: EventStore,
  after: Position,
  options: { readonly batchSize?: number; readonly types?: readonly string[] } = {},
): Promise<EventBatch[]> => {
  const batches: EventBatch[] = [];
  const { signal } = new AbortController();
  for await (const batch of store.subscribe(after, { batchSize: 100, signal, ...options })) {
    batches.push(batch);
    if (batch.isLast) break;
  }
  return batches;
};

/** The error of a subscription's first read; undefined when it gives events. */
export const failureAfter = async (store: EventStore, after: Position): Promise<unknown> => {
  const { signal } = new AbortController();
  try {
    for await (const _ of store.subscribe(after, { batchSize: 100, signal })) return undefined;
  } catch (error) {
    return error;
  }
  return undefined;
};

/** The single records' part of the event store contract; `current` gives the store that is open. */
export const recordContract = (current: () => EventStore): void => {
  describe('recordAt', () => {
    it('tells what stands at a position', async () => {
      const { stream, position } = await begin(current(), 3);
      const last = (await current().readStream(stream)).at(-1);
      expect(await current().recordAt(position)).to.deep.equal({ id: last?.id, stream, revision: 2 });
    });

    it('tells nothing where nothing stands', async () => {
      const { position } = await begin(current(), 1);
      for (const none of [START_POSITION, '9'.repeat(position.length), `${position}0`, OTHER_KIND])
        expect(await current().recordAt(none)).to.equal(undefined);
    });
  });

  describe('a subscription', () => {
    it('cannot begin after a position where nothing stands', async () => {
      const { position } = await begin(current(), 1);
      for (const none of ['9'.repeat(position.length), OTHER_KIND])
        expect(await failureAfter(current(), none)).to.be.instanceOf(CannotResumeError);
    });

    it('tells the last event that it has come past, wanted or not', async () => {
      const start = await current().head();
      const events = ['One', 'Other', 'One', 'Other'].map((type) => ({ ...newEvent(), type }));
      await appended(current(), { stream: newStream(), expectedRevision: NO_STREAM, events });
      const ids = idsOf(events);
      const all = await batchesAfter(current(), start, { batchSize: 2 });
      expect(all.slice(0, 2).map(({ last }) => last?.id)).to.deep.equal([ids[1], ids[3]]);
      expect(all.map(({ last }) => last?.position)).to.deep.equal(all.map(({ position }) => position));
      const some = await batchesAfter(current(), start, { types: ['One'] });
      expect(some.at(-1)?.last).to.deep.equal({ position: await current().head(), id: ids[3] });
    });

    it('goes on after each last event that was told', async () => {
      const start = await current().head();
      await begin(current(), 4);
      const all = await current().readAll(start, 10);
      const batches = await batchesAfter(current(), start, { batchSize: 1 });
      const told = batches.slice(0, 4).map(({ last }) => last);
      expect(told.map((last) => last?.id)).to.deep.equal(idsOf(all));
      for (const [index, last] of told.slice(0, -1).entries()) {
        const rest = await batchesAfter(current(), last?.position ?? START_POSITION);
        expect(rest.flatMap(({ events }) => events)).to.deep.equal(all.slice(index + 1));
      }
    });
  });
};

/** Appends an event that this service cannot have written to a stream, as its first or its next. */
export type WriteForeign = (stream: string, type: string) => Promise<void>;

/** The part of the contract about events in the service's streams that another program has written. */
export const foreignContract = (current: () => EventStore, writeForeign: () => WriteForeign): void => {
  describe('an event that something else has written', () => {
    /** Writes the foreign event between two of the service's own, each in a stream of its own. */
    const write = async () => {
      const start = await current().head();
      const stream = newStream();
      const before = await begin(current(), 1);
      await writeForeign()(stream, 'ContractTried');
      const after = await begin(current(), 1);
      return { start, stream, streams: [before.stream, stream, after.stream] };
    };

    it('is given by a subscription as what it is, and so are those around it', async () => {
      const { start, streams } = await write();
      for (const only of [{}, { types: ['ContractTried'] }]) {
        const events = (await batchesAfter(current(), start, only)).flatMap((batch) => batch.events);
        expect(events.map(({ stream }) => stream)).to.deep.equal(streams);
        expect(events.map(({ foreign }) => typeof foreign)).to.deep.equal(['undefined', 'string', 'undefined']);
        expect(events[1]).to.deep.include({ version: 0, data: {}, metadata: {}, type: 'ContractTried' });
      }
    });

    it('is given by every other read as well', async () => {
      const { start, stream } = await write();
      const [, given] = await current().readAll(start, 3);
      expect(given?.foreign).to.be.a('string');
      expect(await current().readStream(stream)).to.deep.equal([given]);
      const all = { by: 'subject', types: ['ContractTried'], batchSize: 10_000 };
      const { signal } = new AbortController();
      const read = current().readGroups({ ...all, upTo: await current().head() }, signal);
      const found: RecordedEvent[] = [];
      for await (const batch of read)
        found.push(
          ...parseGroupEvents(batch)
            .flat()
            .filter((event) => event.stream === stream),
        );
      expect(found).to.deep.equal([given]);
    });
  });
};
