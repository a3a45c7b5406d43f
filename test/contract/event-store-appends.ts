import { expect } from 'chai';
import { NO_STREAM, type EventStore } from '../../src/event-store/port.ts';
import { canonicalJson, type Json, type JsonObject } from '../../src/schema/json.ts';
import { appended, begin, idsOf, newEvent, newEvents, newStream } from './new-events.ts';

/** The appends' part of the event store contract; `current` gives the store that is open. */
export const appendContract = (current: () => EventStore): void => {
  describe('appendInOrder', () => {
    it('stores events of several streams, one of them twice, in the order given', async () => {
      const [one, other] = [newStream(), newStream()];
      const before = await current().head();
      const appends = Array.from({ length: 40 }, (_, index) => ({
        stream: index % 4 === 0 ? one : index % 4 === 2 ? other : newStream(),
        expectedRevision: index % 2 === 0 ? Math.floor(index / 4) * 2 - 1 : NO_STREAM,
        events: newEvents(2),
      }));
      expect(await current().appendInOrder(appends)).to.equal(undefined);
      const stored = await current().readAll(before, 100);
      expect(idsOf(stored)).to.deep.equal(appends.flatMap(({ events }) => idsOf(events)));
    });

    it('names the stream of an append that is refused', async () => {
      const { stream } = await begin(current(), 2);
      const appends = [{ stream, expectedRevision: 0, events: newEvents(1) }];
      expect(await current().appendInOrder(appends)).to.equal(stream);
      expect(await current().readStream(stream)).to.have.length(2);
    });
  });

  describe('append', () => {
    it('numbers the events of a stream from 0 on', async () => {
      const { stream } = await begin(current(), 2);
      await appended(current(), { stream, expectedRevision: 1, events: newEvents(2) });
      expect((await current().readStream(stream)).map(({ revision }) => revision)).to.deep.equal([0, 1, 2, 3]);
    });

    it('gives the position of its last event', async () => {
      const { stream, position } = await begin(current(), 3);
      expect((await current().readStream(stream)).at(-1)?.position).to.equal(position);
    });

    const wrongRevisions = [
      ['a stream that must not exist and does', NO_STREAM],
      ['a revision that is behind', 1],
      ['a revision that is ahead', 3],
    ] as const;
    for (const [what, expectedRevision] of wrongRevisions) {
      it(`refuses ${what}, and changes nothing`, async () => {
        const { stream, position } = await begin(current(), 3);
        const result = await current().append({ stream, expectedRevision, events: newEvents(2) });
        expect(result).to.deep.equal({ kind: 'wrong-revision' });
        expect(await current().readStream(stream)).to.have.length(3);
        expect(await current().head()).to.equal(position);
      });
    }

    it('refuses a revision of a stream that does not exist', async () => {
      const stream = newStream();
      const result = await current().append({ stream, expectedRevision: 0, events: newEvents(1) });
      expect(result).to.deep.equal({ kind: 'wrong-revision' });
      expect(await current().readStream(stream)).to.deep.equal([]);
    });

    it('stores none of its events when one of them is not JSON, and all of the next append', async () => {
      const circular: Record<string, Json> = {};
      circular['self'] = circular;
      const [broken, sound] = [newStream(), newStream()];
      const outcomes = await Promise.allSettled([
        current().append({ stream: broken, expectedRevision: NO_STREAM, events: [newEvent(), newEvent(circular)] }),
        current().append({ stream: sound, expectedRevision: NO_STREAM, events: newEvents(2) }),
      ]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
      expect(await current().readStream(broken)).to.deep.equal([]);
      expect(await current().readStream(sound)).to.have.length(2);
    });

    it('is never seen by half', async () => {
      const streams = Array.from({ length: 30 }, newStream);
      const appends = streams.map((stream) =>
        appended(current(), { stream, expectedRevision: NO_STREAM, events: newEvents(5) }),
      );
      const lengths = new Set<number>();
      const reads = (async () => {
        for (const stream of streams) lengths.add((await current().readStream(stream)).length);
      })();
      await Promise.all([...appends, reads]);
      for (const stream of streams) lengths.add((await current().readStream(stream)).length);
      lengths.delete(0);
      expect([...lengths]).to.deep.equal([5]);
    });

    it('lets exactly one of 200 at the same revision win', async () => {
      const { stream } = await begin(current(), 1);
      const candidates = newEvents(200);
      const results = await Promise.all(
        candidates.map((event) => current().append({ stream, expectedRevision: 0, events: [event] })),
      );
      const winners = candidates.filter((_, index) => results[index]?.kind === 'appended');
      expect(winners).to.have.length(1);
      expect(idsOf(await current().readStream(stream, 1))).to.deep.equal(idsOf(winners));
    });

    it('lets 200 to different streams all land, each in a place of its own', async () => {
      const head = await current().head();
      const begun = await Promise.all(Array.from({ length: 200 }, () => begin(current(), 1)));
      const log = await current().readAll(head, 1_000);
      const byPosition = (a: { position: string }, b: { position: string }) => (a.position < b.position ? -1 : 1);
      expect(log.map(({ stream, position }) => ({ stream, position }))).to.deep.equal(begun.sort(byPosition));
    });

    it('gives back what it was given', async () => {
      const stream = newStream();
      const event = {
        ...newEvent({ kept: true }),
        version: 7,
        metadata: { $correlationId: 'c', actor: 'key:someone' },
      };
      const position = await appended(current(), { stream, expectedRevision: NO_STREAM, events: [event] });
      expect(await current().readStream(stream)).to.deep.equal([{ ...event, stream, revision: 0, position }]);
    });

    const documents: Record<string, JsonObject> = {
      'text in any script': { text: 'Zoë 漢字 😀 \u2028 \u0000 "\\', 'ключ 🔑': '' },
      'nested members and empty ones': { a: { b: [[], {}, [{ c: [null, true, false, ''] }]] } },
      'numbers to the edges': {
        numbers: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, Number.MAX_VALUE, Number.MIN_VALUE, 0.1, -1.5, 0],
      },
      'members named like those of every object': { constructor: 'c', toString: null, hasOwnProperty: { valueOf: 1 } },
      'long text': { text: '漢'.repeat(20_000) },
      'a member named __proto__': JSON.parse('{"__proto__":{"polluted":[1]},"in":{"__proto__":null}}') as JsonObject,
    };
    for (const [what, data] of Object.entries(documents)) {
      it(`keeps ${what}`, async () => {
        const stream = newStream();
        const event = { ...newEvent(data), metadata: data };
        await appended(current(), { stream, expectedRevision: NO_STREAM, events: [event] });
        const [read] = await current().readStream(stream);
        expect(canonicalJson([read?.data, read?.metadata])).to.equal(canonicalJson([data, data]));
      });
    }

    it('keeps streams apart whose names are alike', async () => {
      const stream = newStream();
      const names = [
        `${stream}a`,
        `${stream}A`,
        `${stream}a_`,
        `${stream}%`,
        `${stream}.constructor`,
        `${stream}.__proto__`,
      ];
      for (const name of names)
        await appended(current(), { stream: name, expectedRevision: NO_STREAM, events: [newEvent({ name })] });
      const read = await Promise.all(names.map((name) => current().readStream(name)));
      expect(read.map((events) => events.map(({ data }) => data['name']))).to.deep.equal(names.map((name) => [name]));
    });
  });
};
