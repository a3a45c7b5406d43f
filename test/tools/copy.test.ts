import { expect } from 'chai';
import { copyLog, type Copy } from '../../src/tools/copy/copy.ts';
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
  { source, target }: Pick<Copy, 'source' | 'target'>,
  onProgress: Copy['onProgress'] = () => undefined,
) => copyLog({ source, target, clock: () => new Date(now), onProgress });

const fill = async (store: EventStore, { streams, rounds }: { streams: number; rounds: number }) => {
  const names = Array.from({ length: streams }, newStream);
  for (let round = 0; round < rounds; round++)
    for (const stream of names)
      await appended(store, { stream, expectedRevision: round * 2 - 1, events: newEvents(2) });
  return names;
};

/** A store whose appends begin to fail after some: the last of these is stored, but its caller gets an error. */
const failingAfter = (store: EventStore, appends: number): EventStore => {
  let done = 0;
  return {
    ...store,
    async append(append) {
      if (done > appends) throw new Error('The store is away');
      done++;
      const isLast = done > appends;
      const result = await store.append(append);
      if (isLast) throw new Error('The store is away');
      return result;
    },
  };
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

    it('has every event with its id, type, version, data and metadata, at its place in its stream', async () => {
      await fill(source, { streams: 40, rounds: 4 });
      expect(await copied({ source, target })).to.deep.equal({
        kind: 'verified',
        events: 320,
        streams: 40,
        added: 320,
        idempotencyRecords: 0,
      });
      expect(await streamsIn(target)).to.deep.equal(await streamsIn(source));
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

    it('that was interrupted holds how each stream begins, and goes on where it stopped', async () => {
      await fill(source, { streams: 40, rounds: 1 });
      const interrupted = copied({ source, target: failingAfter(target, 11) });
      expect(await messageOf(interrupted)).to.equal('The store is away');
      const whole = await streamsIn(source);
      const part = await streamsIn(target);
      for (const [stream, events] of Object.entries(part))
        expect(events).to.deep.equal(whole[stream]?.slice(0, events.length));
      const there = Object.values(part).flat().length;
      expect(there).to.equal(24);

      const again = await copied({ source, target });
      expect(again).to.include({ kind: 'verified', events: 80, added: 80 - there });
      expect(await streamsIn(target)).to.deep.equal(whole);
    });

    it('made again has what came since', async () => {
      const [stream = ''] = await fill(source, { streams: 3, rounds: 1 });
      await copied({ source, target });
      await appended(source, { stream, expectedRevision: 1, events: newEvents(3) });
      await begin(source, 1);
      expect(await copied({ source, target })).to.include({ kind: 'verified', events: 10, added: 4 });
      expect(await streamsIn(target)).to.deep.equal(await streamsIn(source));
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
        expect(await copied({ source, target })).to.deep.equal({ kind: 'holds-something-else', stream });
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

    describe('is not called verified', () => {
      it('when something else wrote to the target', async () => {
        await fill(source, { streams: 3, rounds: 1 });
        let other: Promise<{ stream: string }> | undefined;
        const written: EventStore = {
          ...target,
          async append(append) {
            await (other ??= begin(target, 1));
            return target.append(append);
          },
        };
        const outcome = await copied({ source, target: written });
        expect(outcome).to.deep.equal({ kind: 'differs', stream: (await other)?.stream });
      });

      it('when something wrote to a stream of the target before it was copied', async () => {
        const [stream = ''] = await fill(source, { streams: 1, rounds: 1 });
        const written: EventStore = {
          ...target,
          async append(append) {
            await target.append({ stream, expectedRevision: NO_STREAM, events: newEvents(1) });
            return target.append(append);
          },
        };
        expect(await copied({ source, target: written })).to.deep.equal({ kind: 'differs', stream });
      });

      it('when something wrote to the source', async () => {
        await fill(source, { streams: 3, rounds: 1 });
        const written: EventStore = {
          ...target,
          async append(append) {
            await begin(source, 1);
            return target.append(append);
          },
        };
        expect(await copied({ source, target: written })).to.deep.equal({ kind: 'source-has-grown' });
        expect(await copied({ source, target })).to.include({ kind: 'verified', events: 9 });
      });
    });

    it('has the idempotency records of requests that may still be repeated, at its head', async () => {
      const { stream } = await begin(source, 1);
      const [kept, expired] = [
        newIdempotencyRecord(),
        newIdempotencyRecord({ expiresAt: '2026-03-01T11:59:59.999Z' }),
      ];
      await appended(source, {
        stream,
        expectedRevision: 0,
        events: newEvents(1),
        idempotencyRecord: expired,
      });
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
