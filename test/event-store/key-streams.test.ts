import { EventStoreDBClient, jsonEvent, type RecordedEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { NO_STREAM, type EventStore, type NewReceipt } from '../../src/event-store/port.ts';
import { appended, begin, newEvent, newReceipt, newStream, receiptUnder } from '../contract/new-events.ts';
import { phoneNumbers } from '../support/examples.ts';
import { newPrefix, withServer } from '../support/servers.ts';

const NAME = 'The stream of an Idempotency-Key in EventStoreDB';

withServer(NAME, 'TEST_EVENTSTORE_URL', (url) => {
  describe(NAME, () => {
    const prefix = newPrefix();
    let stores: readonly EventStore[] = [];
    let store: EventStore;
    let client: EventStoreDBClient;
    before(() => {
      const settings = { url, prefix, categories: ['contract'] };
      store = openEventStoreDb(settings);
      stores = [store, openEventStoreDb(settings), openEventStoreDb(settings)];
      client = EventStoreDBClient.connectionString(url);
    });
    after(async () => {
      for (const each of stores) await each.close();
      await client.dispose();
    });

    const streamOf = ({ key }: Pick<NewReceipt, 'key'>) => `idempotency-${prefix}${key}`;
    const recordsUnder = async (receipt: NewReceipt): Promise<RecordedEvent[]> => {
      const records: RecordedEvent[] = [];
      for await (const { event } of client.readStream(streamOf(receipt))) if (event) records.push(event);
      return records;
    };
    const personal = () => newEvent({ phoneNumber: phoneNumbers.wanted });
    const appendOf = (receipt: NewReceipt, stream = newStream()) => ({
      stream,
      expectedRevision: NO_STREAM,
      events: [personal()],
      receipt,
    });

    /** What a process leaves that ends before the append that it has written down. */
    const interrupted = async (receipt: NewReceipt, types: readonly string[]) => {
      const { stream, expectedRevision, events } = appendOf(receipt);
      const { fingerprint, result, expiresAt } = receipt;
      const intent = { fingerprint, result, expiresAt, stream, expectedRevision, events, position: '0' };
      const records = types.map((type) => jsonEvent({ type, data: type === 'AppendIntended' ? intent : {} }));
      await client.appendToStream(streamOf(receipt), records);
      return { stream, intentId: records[0]?.id ?? '', eventIds: events.map(({ id }) => id) };
    };

    it('ends with a record that holds neither personal data nor a result', async () => {
      const receipt = newReceipt({ result: { sentTo: 'ann@example.com' } });
      await appended(store, appendOf(receipt));
      const records = await recordsUnder(receipt);
      expect(records.map(({ type }) => type)).to.deep.equal(['AppendIntended', 'KeyUsed']);
      expect(records.at(-1)?.data).to.deep.equal({});
    });

    it('ends so when the append loses its race as well', async () => {
      const receipt = newReceipt();
      const { stream } = await begin(store, 1);
      expect(await store.append(appendOf(receipt, stream))).to.deep.equal({ kind: 'wrong-revision' });
      expect((await recordsUnder(receipt)).at(-1)).to.include({ type: 'KeyUsed' });
    });

    it('tells of a claim no more than that there is one', async () => {
      const receipt = newReceipt();
      const claimed = await store.claimKey(receipt);
      if (claimed.kind !== 'claimed') return expect.fail('It is not claimed');
      await appended(store, appendOf({ ...receipt, claim: claimed.claim }));
      const records = await recordsUnder(receipt);
      const small = records.filter(({ type }) => type !== 'AppendIntended');
      expect(small.map(({ type, data }) => [type, data])).to.deep.equal([
        ['KeyClaimed', {}],
        ['KeyUsed', { claim: claimed.claim.id }],
      ]);
    });

    it('is forgotten by the server an hour after its record has expired', async () => {
      const receipt = newReceipt();
      await appended(store, appendOf(receipt));
      const { metadata } = await client.getStreamMetadata(streamOf(receipt));
      expect(metadata).to.deep.equal({ maxAge: 25 * 3_600 });
    });

    it('leaves the key free once the server has forgotten all but its end', async () => {
      const receipt = newReceipt();
      await interrupted(receipt, ['KeyUsed']);
      expect(await store.findReceipt(receipt)).to.deep.equal({ kind: 'free' });
      await appended(store, appendOf(receipt));
      expect(await receiptUnder(store, receipt)).to.include({ key: receipt.key });
    });

    for (const [whose, types] of [
      ['this version', ['AppendIntended', 'KeyUsed']],
      ['versions before', ['AppendIntended']],
    ] as const)
      describe(`that ends with what a process of ${whose} has not done yet`, () => {
        it('is held for a while, and then done for the same request', async () => {
          const receipt = newReceipt();
          const { stream, intentId, eventIds } = await interrupted(receipt, types);
          const held = { kind: 'held', by: intentId, left: 'append' };
          expect(await store.findReceipt(receipt)).to.deep.equal(held);
          expect(await store.append(appendOf(receipt))).to.deep.equal({ kind: 'key-taken' });
          expect(await store.findReceipt(receipt, intentId)).to.include({ kind: 'found' });
          expect((await store.readStream(stream)).map(({ id }) => id)).to.deep.equal(eventIds);
        });

        it('is not done for another request', async () => {
          const receipt = newReceipt();
          const { stream, intentId } = await interrupted(receipt, types);
          const other = { ...receipt, fingerprint: 'another request' };
          expect(await store.findReceipt(other)).to.include({ kind: 'held' });
          expect(await store.findReceipt(other, intentId)).to.deep.equal({ kind: 'other-request' });
          expect(await store.claimKey(other, intentId)).to.deep.equal({ kind: 'other-request' });
          expect(await store.readStream(stream)).to.deep.equal([]);
        });

        it('leaves the key free when another event is in its place', async () => {
          const receipt = newReceipt();
          const { stream } = await interrupted(receipt, types);
          await appended(store, { stream, expectedRevision: NO_STREAM, events: [newEvent()] });
          expect(await store.findReceipt(receipt)).to.deep.equal({ kind: 'free' });
          await appended(store, appendOf(receipt));
        });
      });

    it('lets no instance wait for another that appends under the same key', async () => {
      const rounds = Array.from({ length: 30 }, () => ({ receipt: newReceipt(), stream: newStream() }));
      for (const { receipt, stream } of rounds) {
        const started = performance.now();
        const results = await Promise.all(stores.map((each) => each.append(appendOf(receipt, stream))));
        expect(results.filter(({ kind }) => kind === 'appended')).to.have.length(1);
        // One of two appends of the same event at once is left without an answer for two seconds and more.
        expect(performance.now() - started).to.be.lessThan(1_500);
      }
    });

    it('that ends with what this service has not written is refused', async () => {
      const receipt = newReceipt();
      await client.appendToStream(streamOf(receipt), jsonEvent({ type: 'SomethingElse', data: {} }));
      const reason = await store.findReceipt(receipt).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(reason).to.be.an('error').with.property('message').that.includes('cannot be read');
    });
  });
});
