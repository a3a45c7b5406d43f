import { expect } from 'chai';
import {
  NO_STREAM,
  type EventStore,
  type KeyedRequest,
  type NewIdempotencyRecord,
  type Position,
  type IdempotencyRecord,
} from '../../src/event-store/port.ts';
import { canonicalJson, type JsonObject } from '../../src/schema/json.ts';
import { appended, begin, newEvents, newIdempotencyRecord, newStream, idempotencyRecordUnder } from './new-events.ts';

const keptOf = (
  { key, fingerprint, result, expiresAt }: NewIdempotencyRecord,
  position: Position,
): IdempotencyRecord => ({ key, fingerprint, result, position, expiresAt });

/** The idempotency records' part of the event store contract; `current` gives the store that is open. */
export const idempotencyRecordContract = (current: () => EventStore, reopen: () => Promise<EventStore>): void => {
  describe('idempotencyRecords', () => {
    const find = (request: KeyedRequest) => idempotencyRecordUnder(current(), request);

    it('are kept with the events, at the position of the last', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const append = { stream: newStream(), expectedRevision: NO_STREAM, events: newEvents(2), idempotencyRecord };
      const position = await appended(current(), append);
      expect(await find(idempotencyRecord)).to.deep.equal(keptOf(idempotencyRecord, position));
    });

    it('are not found under another key', async () => {
      expect(await find(newIdempotencyRecord())).to.equal(undefined);
    });

    it('refuse an append under the same key, which changes nothing', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const { stream } = await begin(current(), 1);
      const position = await appended(current(), {
        stream,
        expectedRevision: 0,
        events: newEvents(1),
        idempotencyRecord,
      });
      const again = { ...idempotencyRecord, fingerprint: 'another request', result: {} };
      const result = await current().append({
        stream,
        expectedRevision: 1,
        events: newEvents(1),
        idempotencyRecord: again,
      });
      expect(result).to.deep.equal({ kind: 'key-taken' });
      expect(await current().readStream(stream)).to.have.length(2);
      expect(await find(idempotencyRecord)).to.include({ fingerprint: idempotencyRecord.fingerprint, position });
      expect(await current().findIdempotencyRecord(again)).to.deep.equal({ kind: 'other-request' });
    });

    it('are given once when one key comes many times at once', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const stream = newStream();
      const results = await Promise.all(
        Array.from({ length: 20 }, () =>
          current().append({ stream, expectedRevision: NO_STREAM, events: newEvents(1), idempotencyRecord }),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'appended')).to.have.length(1);
      expect(await current().readStream(stream)).to.have.length(1);
    });

    it('are not kept when the revision is wrong', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const { stream } = await begin(current(), 1);
      const result = await current().append({ stream, expectedRevision: 3, events: newEvents(1), idempotencyRecord });
      expect(result).to.deep.equal({ kind: 'wrong-revision' });
      expect(await find(idempotencyRecord)).to.equal(undefined);
    });

    it('are not kept when the events cannot be stored', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const [event] = newEvents(1);
      const circular: Record<string, JsonObject> = {};
      circular['self'] = circular;
      const events = event ? [{ ...event, data: circular }] : [];
      const append = { stream: newStream(), expectedRevision: NO_STREAM, events, idempotencyRecord };
      const [outcome] = await Promise.allSettled([current().append(append)]);
      expect(outcome.status).to.equal('rejected');
      expect(await find(idempotencyRecord)).to.equal(undefined);
    });

    it('are kept without events, at the position that was decided on', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const { stream, position } = await begin(current(), 1);
      const { position: head } = await begin(current(), 1);
      const append = { stream, expectedRevision: 0, events: [], idempotencyRecord, lastSeen: position };
      expect(await current().append(append)).to.deep.equal({ kind: 'appended', position });
      expect(await find(idempotencyRecord)).to.include({ position });
      expect(await current().head()).to.equal(head);
    });

    it('are kept without events for a stream that does not exist', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const stream = newStream();
      await appended(current(), { stream, expectedRevision: NO_STREAM, events: [], idempotencyRecord });
      expect(await find(idempotencyRecord)).to.include({ key: idempotencyRecord.key });
      expect(await current().readStream(stream)).to.deep.equal([]);
    });

    it('without events are refused at a wrong revision', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const { stream } = await begin(current(), 2);
      const result = await current().append({ stream, expectedRevision: 0, events: [], idempotencyRecord });
      expect(result).to.deep.equal({ kind: 'wrong-revision' });
      expect(await find(idempotencyRecord)).to.equal(undefined);
    });

    it('are found until they expire, and not from then on', async () => {
      const idempotencyRecord = newIdempotencyRecord({ expiresAt: '2026-03-02T09:30:00.000Z' });
      await appended(current(), {
        stream: newStream(),
        expectedRevision: NO_STREAM,
        events: newEvents(1),
        idempotencyRecord,
      });
      expect(await find({ ...idempotencyRecord, storedAt: '2026-03-02T09:29:59.999Z' })).to.include({
        key: idempotencyRecord.key,
      });
      expect(await find({ ...idempotencyRecord, storedAt: '2026-03-02T09:30:00.000Z' })).to.equal(undefined);
    });

    it('make room under their key once they have expired', async () => {
      const first = newIdempotencyRecord();
      const { stream } = await begin(current(), 1);
      await appended(current(), { stream, expectedRevision: 0, events: newEvents(1), idempotencyRecord: first });
      const second = {
        ...first,
        fingerprint: 'another request',
        storedAt: first.expiresAt,
        expiresAt: '2026-03-03T09:30:00.000Z',
      };
      const position = await appended(current(), {
        stream,
        expectedRevision: 1,
        events: newEvents(1),
        idempotencyRecord: second,
      });
      expect(await find(second)).to.deep.equal(keptOf(second, position));
    });

    it('are left alone by a request whose clock is a day ahead', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const { stream } = await begin(current(), 1);
      await appended(current(), { stream, expectedRevision: 0, events: newEvents(1), idempotencyRecord });
      const before = await find(idempotencyRecord);
      const ahead = newIdempotencyRecord({
        storedAt: '2026-03-02T09:31:00.000Z',
        expiresAt: '2026-03-03T09:31:00.000Z',
      });
      await appended(current(), { stream, expectedRevision: 1, events: newEvents(1), idempotencyRecord: ahead });
      expect(await find(idempotencyRecord)).to.deep.equal(before);
      expect(await current().idempotencyRecords(idempotencyRecord.storedAt)).to.deep.include(before);
    });

    it('are left alone by one request whose clock is a year ahead', async () => {
      const idempotencyRecords = [newIdempotencyRecord(), newIdempotencyRecord()];
      const { stream } = await begin(current(), 1);
      for (const [revision, idempotencyRecord] of idempotencyRecords.entries())
        await appended(current(), { stream, expectedRevision: revision, events: newEvents(1), idempotencyRecord });
      const ahead = newIdempotencyRecord({ storedAt: '2027-03-01T09:30:00Z', expiresAt: '2027-03-02T09:30:00Z' });
      await appended(current(), { stream, expectedRevision: 2, events: newEvents(1), idempotencyRecord: ahead });
      for (const idempotencyRecord of idempotencyRecords)
        expect(await find(idempotencyRecord)).to.include({ key: idempotencyRecord.key });
    });

    it('keep any JSON, a member named __proto__ too', async () => {
      const result = JSON.parse('{"__proto__":{"a":[1]},"constructor":"c","text":"Zoë 😀","none":null}') as JsonObject;
      const idempotencyRecord = newIdempotencyRecord({ result });
      await appended(current(), {
        stream: newStream(),
        expectedRevision: NO_STREAM,
        events: newEvents(1),
        idempotencyRecord,
      });
      expect(canonicalJson((await find(idempotencyRecord))?.result)).to.equal(canonicalJson(result));
    });

    it('are all listed, until they expire', async () => {
      const [early, late] = [
        newIdempotencyRecord({ expiresAt: '2026-03-02T09:30:00.000Z' }),
        newIdempotencyRecord({ expiresAt: '2026-03-02T09:31:00.000Z' }),
      ];
      const { stream } = await begin(current(), 1);
      await appended(current(), { stream, expectedRevision: 0, events: newEvents(2), idempotencyRecord: early });
      await appended(current(), { stream, expectedRevision: 2, events: [], idempotencyRecord: late });
      const listedAt = async (now: string) =>
        (await current().idempotencyRecords(now)).filter(({ key }) => key === early.key || key === late.key);
      expect(await listedAt(early.storedAt)).to.have.deep.members([await find(early), await find(late)]);
      expect(await listedAt(early.expiresAt)).to.deep.equal([await find(late)]);
      expect(await listedAt(late.expiresAt)).to.deep.equal([]);
    });

    it('are not listed for an append that was refused', async () => {
      const { stream } = await begin(current(), 1);
      const idempotencyRecords = Array.from({ length: 8 }, () => newIdempotencyRecord());
      const results = await Promise.all(
        idempotencyRecords.map((idempotencyRecord) =>
          current().append({ stream, expectedRevision: 0, events: newEvents(1), idempotencyRecord }),
        ),
      );
      const kept = idempotencyRecords.filter((_, index) => results[index]?.kind === 'appended').map(({ key }) => key);
      const keys = new Set(idempotencyRecords.map(({ key }) => key));
      const listed = await current().idempotencyRecords('2026-03-01T09:30:00.000Z');
      expect(listed.map(({ key }) => key).filter((key) => keys.has(key))).to.deep.equal(kept);
      expect(kept).to.have.length(1);
    });

    it('are there after the store was opened again', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const { stream } = await begin(current(), 1);
      await appended(current(), { stream, expectedRevision: 0, events: newEvents(1), idempotencyRecord });
      const found = await find(idempotencyRecord);
      await reopen();
      expect(await find(idempotencyRecord)).to.deep.equal(found);
      const again = await current().append({ stream, expectedRevision: 1, events: newEvents(1), idempotencyRecord });
      expect(again).to.deep.equal({ kind: 'key-taken' });
    });
  });
};
