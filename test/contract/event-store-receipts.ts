import { expect } from 'chai';
import {
  NO_STREAM,
  type EventStore,
  type KeyedRequest,
  type NewReceipt,
  type Position,
  type Receipt,
} from '../../src/event-store/port.ts';
import { canonicalJson, type JsonObject } from '../../src/schema/json.ts';
import { appended, begin, newEvents, newReceipt, newStream, receiptUnder } from './new-events.ts';

const keptOf = ({ key, fingerprint, result, expiresAt }: NewReceipt, position: Position): Receipt => ({
  key,
  fingerprint,
  result,
  position,
  expiresAt,
});

/** The receipts' part of the event store contract; `current` gives the store that is open. */
export const receiptContract = (current: () => EventStore, reopen: () => Promise<EventStore>): void => {
  describe('receipts', () => {
    const find = (request: KeyedRequest) => receiptUnder(current(), request);

    it('are kept with the events, at the position of the last', async () => {
      const receipt = newReceipt();
      const append = { stream: newStream(), expectedRevision: NO_STREAM, events: newEvents(2), receipt };
      const position = await appended(current(), append);
      expect(await find(receipt)).to.deep.equal(keptOf(receipt, position));
    });

    it('are not found under another key', async () => {
      expect(await find(newReceipt())).to.equal(undefined);
    });

    it('refuse an append under the same key, which changes nothing', async () => {
      const receipt = newReceipt();
      const { stream } = await begin(current(), 1);
      const position = await appended(current(), {
        stream,
        expectedRevision: 0,
        events: newEvents(1),
        receipt,
      });
      const again = { ...receipt, fingerprint: 'another request', result: {} };
      const result = await current().append({
        stream,
        expectedRevision: 1,
        events: newEvents(1),
        receipt: again,
      });
      expect(result).to.deep.equal({ kind: 'key-taken' });
      expect(await current().readStream(stream)).to.have.length(2);
      expect(await find(receipt)).to.include({ fingerprint: receipt.fingerprint, position });
      expect(await current().findReceipt(again)).to.deep.equal({ kind: 'other-request' });
    });

    it('are given once when one key comes many times at once', async () => {
      const receipt = newReceipt();
      const stream = newStream();
      const results = await Promise.all(
        Array.from({ length: 20 }, () =>
          current().append({ stream, expectedRevision: NO_STREAM, events: newEvents(1), receipt }),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'appended')).to.have.length(1);
      expect(await current().readStream(stream)).to.have.length(1);
    });

    it('are not kept when the revision is wrong', async () => {
      const receipt = newReceipt();
      const { stream } = await begin(current(), 1);
      const result = await current().append({ stream, expectedRevision: 3, events: newEvents(1), receipt });
      expect(result).to.deep.equal({ kind: 'wrong-revision' });
      expect(await find(receipt)).to.equal(undefined);
    });

    it('are not kept when the events cannot be stored', async () => {
      const receipt = newReceipt();
      const [event] = newEvents(1);
      const circular: Record<string, JsonObject> = {};
      circular['self'] = circular;
      const events = event ? [{ ...event, data: circular }] : [];
      const append = { stream: newStream(), expectedRevision: NO_STREAM, events, receipt };
      const [outcome] = await Promise.allSettled([current().append(append)]);
      expect(outcome.status).to.equal('rejected');
      expect(await find(receipt)).to.equal(undefined);
    });

    it('are kept without events, at the position that was decided on', async () => {
      const receipt = newReceipt();
      const { stream, position } = await begin(current(), 1);
      const { position: head } = await begin(current(), 1);
      const append = { stream, expectedRevision: 0, events: [], receipt, decidedAt: position };
      expect(await current().append(append)).to.deep.equal({ kind: 'appended', position });
      expect(await find(receipt)).to.include({ position });
      expect(await current().head()).to.equal(head);
    });

    it('are kept without events for a stream that does not exist', async () => {
      const receipt = newReceipt();
      const stream = newStream();
      await appended(current(), { stream, expectedRevision: NO_STREAM, events: [], receipt });
      expect(await find(receipt)).to.include({ key: receipt.key });
      expect(await current().readStream(stream)).to.deep.equal([]);
    });

    it('without events are refused at a wrong revision', async () => {
      const receipt = newReceipt();
      const { stream } = await begin(current(), 2);
      const result = await current().append({ stream, expectedRevision: 0, events: [], receipt });
      expect(result).to.deep.equal({ kind: 'wrong-revision' });
      expect(await find(receipt)).to.equal(undefined);
    });

    it('are found until they expire, and not from then on', async () => {
      const receipt = newReceipt({ expiresAt: '2026-03-02T09:30:00.000Z' });
      await appended(current(), {
        stream: newStream(),
        expectedRevision: NO_STREAM,
        events: newEvents(1),
        receipt,
      });
      expect(await find({ ...receipt, storedAt: '2026-03-02T09:29:59.999Z' })).to.include({
        key: receipt.key,
      });
      expect(await find({ ...receipt, storedAt: '2026-03-02T09:30:00.000Z' })).to.equal(undefined);
    });

    it('make room under their key once they have expired', async () => {
      const first = newReceipt();
      const { stream } = await begin(current(), 1);
      await appended(current(), { stream, expectedRevision: 0, events: newEvents(1), receipt: first });
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
        receipt: second,
      });
      expect(await find(second)).to.deep.equal(keptOf(second, position));
    });

    it('are left alone by a request whose clock is a day ahead', async () => {
      const receipt = newReceipt();
      const { stream } = await begin(current(), 1);
      await appended(current(), { stream, expectedRevision: 0, events: newEvents(1), receipt });
      const before = await find(receipt);
      const ahead = newReceipt({
        storedAt: '2026-03-02T09:31:00.000Z',
        expiresAt: '2026-03-03T09:31:00.000Z',
      });
      await appended(current(), { stream, expectedRevision: 1, events: newEvents(1), receipt: ahead });
      expect(await find(receipt)).to.deep.equal(before);
      expect(await current().receipts(receipt.storedAt)).to.deep.include(before);
    });

    it('are left alone by one request whose clock is a year ahead', async () => {
      const receipts = [newReceipt(), newReceipt()];
      const { stream } = await begin(current(), 1);
      for (const [revision, receipt] of receipts.entries())
        await appended(current(), { stream, expectedRevision: revision, events: newEvents(1), receipt });
      const ahead = newReceipt({ storedAt: '2027-03-01T09:30:00Z', expiresAt: '2027-03-02T09:30:00Z' });
      await appended(current(), { stream, expectedRevision: 2, events: newEvents(1), receipt: ahead });
      for (const receipt of receipts) expect(await find(receipt)).to.include({ key: receipt.key });
    });

    it('keep any JSON, a member named __proto__ too', async () => {
      const result = JSON.parse(
        '{"__proto__":{"a":[1]},"constructor":"c","text":"Zoë 😀","none":null}',
      ) as JsonObject;
      const receipt = newReceipt({ result });
      await appended(current(), {
        stream: newStream(),
        expectedRevision: NO_STREAM,
        events: newEvents(1),
        receipt,
      });
      expect(canonicalJson((await find(receipt))?.result)).to.equal(canonicalJson(result));
    });

    it('are all listed, until they expire', async () => {
      const [early, late] = [
        newReceipt({ expiresAt: '2026-03-02T09:30:00.000Z' }),
        newReceipt({ expiresAt: '2026-03-02T09:31:00.000Z' }),
      ];
      const { stream } = await begin(current(), 1);
      await appended(current(), { stream, expectedRevision: 0, events: newEvents(2), receipt: early });
      await appended(current(), { stream, expectedRevision: 2, events: [], receipt: late });
      const listedAt = async (now: string) =>
        (await current().receipts(now)).filter(({ key }) => key === early.key || key === late.key);
      expect(await listedAt(early.storedAt)).to.have.deep.members([await find(early), await find(late)]);
      expect(await listedAt(early.expiresAt)).to.deep.equal([await find(late)]);
      expect(await listedAt(late.expiresAt)).to.deep.equal([]);
    });

    it('are not listed for an append that was refused', async () => {
      const { stream } = await begin(current(), 1);
      const receipts = Array.from({ length: 8 }, () => newReceipt());
      const results = await Promise.all(
        receipts.map((receipt) =>
          current().append({ stream, expectedRevision: 0, events: newEvents(1), receipt }),
        ),
      );
      const kept = receipts.filter((_, index) => results[index]?.kind === 'appended').map(({ key }) => key);
      const keys = new Set(receipts.map(({ key }) => key));
      const listed = await current().receipts('2026-03-01T09:30:00.000Z');
      expect(listed.map(({ key }) => key).filter((key) => keys.has(key))).to.deep.equal(kept);
      expect(kept).to.have.length(1);
    });

    it('are there after the store was opened again', async () => {
      const receipt = newReceipt();
      const { stream } = await begin(current(), 1);
      await appended(current(), { stream, expectedRevision: 0, events: newEvents(1), receipt });
      const found = await find(receipt);
      await reopen();
      expect(await find(receipt)).to.deep.equal(found);
      const again = await current().append({ stream, expectedRevision: 1, events: newEvents(1), receipt });
      expect(again).to.deep.equal({ kind: 'key-taken' });
    });
  });
};
