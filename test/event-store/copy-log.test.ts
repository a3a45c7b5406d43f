import { expect } from 'chai';
import { copyLog, type CopyLogOptions } from '../../src/event-store/copy-log.ts';
import { NO_STREAM, type EventStore } from '../../src/event-store/port.ts';
import {
  appended,
  begin,
  newEvent,
  newEvents,
  newIdempotencyRecord,
  newStream,
  idempotencyRecordUnder,
} from '../contract/new-events.ts';
import {
  eventsIn,
  newEmbeddedLog,
  newEventStoreDbLog,
  newMemoryLog,
  streamsIn,
  type LogStore,
} from '../support/log-stores.ts';
import { withServer } from '../support/servers.ts';
import { messageOf } from '../support/refusal-of.ts';

const now = '2026-03-01T12:00:00.000Z';

/** Copies with a fixed clock. */
const copied = (
  { source, target }: Pick<CopyLogOptions, 'source' | 'target'>,
  onProgress: CopyLogOptions['onProgress'] = () => undefined,
) => copyLog({ source, target, clock: () => new Date(now), onProgress });

const fill = async (store: EventStore, { streams, rounds }: { streams: number; rounds: number }) => {
  const names = Array.from({ length: streams }, newStream);
  for (let round = 0; round < rounds; round++)
    for (const stream of names)
      await appended(store, { stream, expectedRevision: round * 2 - 1, events: newEvents(2) });
  return names;
};

/** A store that stores some events of those that it is given in order, and then fails. */
const failingAfter = (store: EventStore, count: number): EventStore => {
  let left = count;
  return {
    ...store,
    async appendInOrder(appends) {
      for (const { events, ...append } of appends) {
        const part = events.slice(0, left);
        left -= part.length;
        if (part.length > 0) await store.append({ ...append, events: part });
      }
      throw new Error('The store is away');
    },
  };
};

/** The same events as those of a log, in order within each stream but not between them. */
const copyStreamByStream = async (source: EventStore, target: EventStore) => {
  for (const events of Object.values(await streamsIn(source)))
    await appended(target, { stream: events[0]?.stream ?? '', expectedRevision: NO_STREAM, events });
};

const suite = (name: string, openSource: () => Promise<LogStore>, openTarget: () => Promise<LogStore>) => {
  describe(`A copy of a log: ${name}`, () => {
    let [from, to]: LogStore[] = [];
    let source: EventStore;
    let target: EventStore;
    beforeEach(async () => {
      from = await openSource();
      to = await openTarget();
      [source, target] = [from.store, to.store];
    });
    afterEach(async () => {
      await from?.remove();
      await to?.remove();
    });

    it('has every event with its id, type, version, data and metadata, in their order', async () => {
      await fill(source, { streams: 40, rounds: 4 });
      expect(await copied({ source, target })).to.deep.equal({
        kind: 'verified',
        events: 320,
        streams: 40,
        added: 320,
        idempotencyRecords: 0,
      });
      expect(await eventsIn(target)).to.deep.equal(await eventsIn(source));
    });

    it('of an empty log is empty', async () => {
      expect(await copied({ source, target })).to.include({ kind: 'verified', events: 0, streams: 0 });
    });

    it('made again adds nothing', async () => {
      await fill(source, { streams: 5, rounds: 2 });
      await copied({ source, target });
      const head = await target.head();
      expect(await copied({ source, target })).to.include({ kind: 'verified', events: 20, added: 0 });
      expect(await target.head()).to.equal(head);
    });

    it('keeps the order of streams that are written in turn, and of an entity after another', async () => {
      // Given a stream whose events stand among those of others
      const [often, ...others] = await fill(source, { streams: 12, rounds: 2 });
      for (const [index, stream] of others.entries()) {
        await appended(source, { stream, expectedRevision: 3, events: newEvents(1) });
        await appended(source, { stream: often ?? '', expectedRevision: 3 + index, events: newEvents(1) });
      }
      expect(await copied({ source, target })).to.include({ kind: 'verified' });
      expect(await eventsIn(target)).to.deep.equal(await eventsIn(source));
    });

    it('that was interrupted holds how the log begins, and goes on where it stopped', async () => {
      await fill(source, { streams: 40, rounds: 1 });
      const interrupted = copied({ source, target: failingAfter(target, 23) });
      expect(await messageOf(interrupted)).to.equal('The store is away');
      const whole = await eventsIn(source);
      expect(await eventsIn(target)).to.deep.equal(whole.slice(0, 23));

      expect(await copied({ source, target })).to.include({ kind: 'verified', events: 80, added: 57 });
      expect(await eventsIn(target)).to.deep.equal(whole);
    });

    it('made again has what came since', async () => {
      const [stream = ''] = await fill(source, { streams: 3, rounds: 1 });
      await copied({ source, target });
      await appended(source, { stream, expectedRevision: 1, events: newEvents(3) });
      await begin(source, 1);
      expect(await copied({ source, target })).to.include({ kind: 'verified', events: 10, added: 4 });
      expect(await eventsIn(target)).to.deep.equal(await eventsIn(source));
    });

    it('takes a stream of more than a store takes at once', async () => {
      const stream = newStream();
      const large = () => newEvent({ text: 'ä'.repeat(200_000) });
      for (let revision = NO_STREAM; revision < 5; revision++)
        await appended(source, { stream, expectedRevision: revision, events: [large()] });
      expect(await copied({ source, target })).to.include({ kind: 'verified', events: 6 });
    });

    describe('is refused, and changes nothing,', () => {
      const expectRefusal = async (stream: string) => {
        const before = await streamsIn(target);
        expect(await copied({ source, target })).to.deep.equal({
          kind: 'holds-something-else',
          difference: { kind: 'content', stream },
        });
        expect(await streamsIn(target)).to.deep.equal(before);
      };

      it('when the target has another stream', async () => {
        await fill(source, { streams: 3, rounds: 1 });
        const { stream } = await begin(target, 1);
        await expectRefusal(stream);
      });

      it('when the target has other data in an event', async () => {
        const [event] = [newEvent({ number: 1 })];
        const stream = newStream();
        await appended(source, { stream, expectedRevision: NO_STREAM, events: [event, newEvent()] });
        const changed = { ...event, data: { number: 2 } };
        await appended(target, { stream, expectedRevision: NO_STREAM, events: [changed] });
        await expectRefusal(stream);
      });

      it('when a stream of the target has gone on', async () => {
        const [stream = ''] = await fill(source, { streams: 3, rounds: 1 });
        await copied({ source, target });
        await appended(target, { stream, expectedRevision: 1, events: newEvents(1) });
        await expectRefusal(stream);
      });
    });

    it('onto one that an earlier version has copied in another order is refused, and says where', async () => {
      const [first = '', second = ''] = await fill(source, { streams: 2, rounds: 2 });
      await copyStreamByStream(source, target);
      const before = await eventsIn(target);
      expect(await copied({ source, target })).to.deep.equal({
        kind: 'holds-something-else',
        difference: {
          kind: 'order',
          number: 3,
          inSource: { stream: second, revision: 0 },
          inTarget: { stream: first, revision: 2 },
        },
      });
      expect(await eventsIn(target)).to.deep.equal(before);
    });

    describe('is not called verified', () => {
      it('when the target did not keep the order', async () => {
        const [first = '', second = ''] = await fill(source, { streams: 2, rounds: 1 });
        const careless: EventStore = {
          ...target,
          appendInOrder: (appends) => target.appendInOrder(appends.toReversed()),
        };
        expect(await copied({ source, target: careless })).to.deep.equal({
          kind: 'differs',
          difference: {
            kind: 'order',
            number: 1,
            inSource: { stream: first, revision: 0 },
            inTarget: { stream: second, revision: 0 },
          },
        });
      });

      it('when something else wrote to the target', async () => {
        await fill(source, { streams: 3, rounds: 1 });
        let other: Promise<{ stream: string }> | undefined;
        const written: EventStore = {
          ...target,
          async appendInOrder(appends) {
            await (other ??= begin(target, 1));
            return target.appendInOrder(appends);
          },
        };
        const outcome = await copied({ source, target: written });
        expect(outcome).to.deep.equal({
          kind: 'differs',
          difference: { kind: 'content', stream: (await other)?.stream },
        });
      });

      it('when something wrote to a stream of the target before it was copied', async () => {
        const [stream = ''] = await fill(source, { streams: 1, rounds: 1 });
        const written: EventStore = {
          ...target,
          async appendInOrder(appends) {
            await target.append({ stream, expectedRevision: NO_STREAM, events: newEvents(1) });
            return target.appendInOrder(appends);
          },
        };
        expect(await copied({ source, target: written })).to.deep.equal({
          kind: 'differs',
          difference: { kind: 'content', stream },
        });
      });

      it('when something wrote to the source', async () => {
        await fill(source, { streams: 3, rounds: 1 });
        const written: EventStore = {
          ...target,
          async appendInOrder(appends) {
            await begin(source, 1);
            return target.appendInOrder(appends);
          },
        };
        expect(await copied({ source, target: written })).to.deep.equal({ kind: 'source-has-grown' });
        expect(await copied({ source, target })).to.include({ kind: 'verified', events: 7 });
      });
    });

    it('has the idempotency records of requests that may still be repeated, at its head', async () => {
      const { stream } = await begin(source, 1);
      const [kept, expired] = [newIdempotencyRecord(), newIdempotencyRecord({ expiresAt: '2026-03-01T11:59:59.999Z' })];
      await appended(source, { stream, expectedRevision: 0, events: newEvents(1), idempotencyRecord: expired });
      await appended(source, { stream, expectedRevision: 1, events: newEvents(1), idempotencyRecord: kept });
      await begin(source, 1);

      expect(await copied({ source, target })).to.include({ kind: 'verified', idempotencyRecords: 1 });
      expect(await copied({ source, target })).to.include({ kind: 'verified', idempotencyRecords: 1 });
      const { key, fingerprint, result, expiresAt } = kept;
      const position = await target.head();
      expect(await idempotencyRecordUnder(target, { ...kept, storedAt: now })).to.deep.equal({
        key,
        fingerprint,
        result,
        expiresAt,
        position,
      });
      expect(await idempotencyRecordUnder(target, { ...expired, storedAt: now })).to.equal(undefined);
    });

    it('tells how far it is, up to the end', async () => {
      await fill(source, { streams: 5, rounds: 1 });
      const told = new Map<string, object>();
      await copied({ source, target }, (progress) => {
        told.set(progress.phase, progress);
      });
      expect([...told.values()]).to.deep.equal([
        { phase: 'reading', events: 10 },
        { phase: 'copying', events: 10, total: 10 },
        { phase: 'verifying', events: 10, total: 10 },
      ]);
    });
  });
};

suite('from memory to memory', newMemoryLog, newMemoryLog);
suite('from file to file', newEmbeddedLog, newEmbeddedLog);
withServer('A copy of a log: to and from EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
  suite('from a file to EventStoreDB', newEmbeddedLog, newEventStoreDbLog(url));
  suite('from EventStoreDB to a file', newEventStoreDbLog(url), newEmbeddedLog);

  it('A copy of a copy is the log again: from a file to EventStoreDB and back', async () => {
    const logs = [await newEmbeddedLog(), await newEventStoreDbLog(url)(), await newEmbeddedLog()];
    const [file, server, back] = logs.map(({ store }) => store);
    if (!file || !server || !back) throw new Error('There are three');
    await fill(file, { streams: 20, rounds: 3 });
    await copied({ source: file, target: server });
    expect(await copied({ source: server, target: back })).to.include({ kind: 'verified', added: 120 });
    expect(await streamsIn(back)).to.deep.equal(await streamsIn(file));
    for (const { remove } of logs) await remove();
  });
});
