import { EventStoreDBClient, jsonEvent, type RecordedEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { NO_STREAM, type EventStore, type NewIdempotencyRecord } from '../../src/event-store/port.ts';
import {
  appended,
  begin,
  newEvent,
  newIdempotencyRecord,
  newStream,
  idempotencyRecordUnder,
} from '../contract/new-events.ts';
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

    const streamOf = ({ key }: Pick<NewIdempotencyRecord, 'key'>) => `idempotency-${prefix}${key}`;
    const recordsUnder = async (idempotencyRecord: NewIdempotencyRecord): Promise<RecordedEvent[]> => {
      const records: RecordedEvent[] = [];
      for await (const { event } of client.readStream(streamOf(idempotencyRecord))) if (event) records.push(event);
      return records;
    };
    const personal = () => newEvent({ phoneNumber: phoneNumbers.wanted });
    const appendOf = (idempotencyRecord: NewIdempotencyRecord, stream = newStream()) => ({
      stream,
      expectedRevision: NO_STREAM,
      events: [personal()],
      idempotencyRecord,
    });

    /** What a process leaves that ends between writing down an append and carrying it out. */
    const interrupted = async (idempotencyRecord: NewIdempotencyRecord, types: readonly string[]) => {
      const { stream, expectedRevision, events } = appendOf(idempotencyRecord);
      const { fingerprint, result, expiresAt } = idempotencyRecord;
      const intent = { fingerprint, result, expiresAt, stream, expectedRevision, events, position: '0' };
      const records = types.map((type) => jsonEvent({ type, data: type === 'AppendIntended' ? intent : {} }));
      await client.appendToStream(streamOf(idempotencyRecord), records);
      return { stream, intentId: records[0]?.id ?? '', eventIds: events.map(({ id }) => id) };
    };

    it('ends with a record that holds neither personal data nor a result', async () => {
      const idempotencyRecord = newIdempotencyRecord({ result: { sentTo: 'ann@example.com' } });
      await appended(store, appendOf(idempotencyRecord));
      const records = await recordsUnder(idempotencyRecord);
      expect(records.map(({ type }) => type)).to.deep.equal(['AppendIntended', 'KeyUsed']);
      expect(records.at(-1)?.data).to.deep.equal({});
    });

    it('ends so when the append loses its race as well', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const { stream } = await begin(store, 1);
      expect(await store.append(appendOf(idempotencyRecord, stream))).to.deep.equal({ kind: 'wrong-revision' });
      expect((await recordsUnder(idempotencyRecord)).at(-1)).to.include({ type: 'KeyUsed' });
    });

    it('tells of a claim no more than that there is one', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      const claimed = await store.claimKey(idempotencyRecord);
      if (claimed.kind !== 'claimed') return expect.fail('It is not claimed');
      await appended(store, appendOf({ ...idempotencyRecord, claim: claimed.claim }));
      const records = await recordsUnder(idempotencyRecord);
      const small = records.filter(({ type }) => type !== 'AppendIntended');
      expect(small.map(({ type, data }) => [type, data])).to.deep.equal([
        ['KeyClaimed', {}],
        ['KeyUsed', { claim: claimed.claim.id }],
      ]);
    });

    it('is forgotten by the server an hour after its record has expired', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      await appended(store, appendOf(idempotencyRecord));
      const { metadata } = await client.getStreamMetadata(streamOf(idempotencyRecord));
      expect(metadata).to.deep.equal({ maxAge: 25 * 3_600 });
    });

    it('leaves the key free once the server has forgotten all but its end', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      await interrupted(idempotencyRecord, ['KeyUsed']);
      expect(await store.findIdempotencyRecord(idempotencyRecord)).to.deep.equal({ kind: 'free' });
      await appended(store, appendOf(idempotencyRecord));
      expect(await idempotencyRecordUnder(store, idempotencyRecord)).to.include({ key: idempotencyRecord.key });
    });

    for (const [whose, types] of [
      ['this version', ['AppendIntended', 'KeyUsed']],
      ['versions before', ['AppendIntended']],
    ] as const)
      describe(`that ends with what a process of ${whose} has not done yet`, () => {
        it('is held for a while, and then done for the same request', async () => {
          const idempotencyRecord = newIdempotencyRecord();
          const { stream, intentId, eventIds } = await interrupted(idempotencyRecord, types);
          const held = { kind: 'held', by: intentId, left: 'append' };
          expect(await store.findIdempotencyRecord(idempotencyRecord)).to.deep.equal(held);
          expect(await store.append(appendOf(idempotencyRecord))).to.deep.equal({ kind: 'key-taken' });
          expect(await store.findIdempotencyRecord(idempotencyRecord, intentId)).to.include({ kind: 'found' });
          expect((await store.readStream(stream)).map(({ id }) => id)).to.deep.equal(eventIds);
        });

        it('is not done for another request', async () => {
          const idempotencyRecord = newIdempotencyRecord();
          const { stream, intentId } = await interrupted(idempotencyRecord, types);
          const other = { ...idempotencyRecord, fingerprint: 'another request' };
          expect(await store.findIdempotencyRecord(other)).to.include({ kind: 'held' });
          expect(await store.findIdempotencyRecord(other, intentId)).to.deep.equal({ kind: 'other-request' });
          expect(await store.claimKey(other, intentId)).to.deep.equal({ kind: 'other-request' });
          expect(await store.readStream(stream)).to.deep.equal([]);
        });

        it('leaves the key free when another event is in its place', async () => {
          const idempotencyRecord = newIdempotencyRecord();
          const { stream } = await interrupted(idempotencyRecord, types);
          await appended(store, { stream, expectedRevision: NO_STREAM, events: [newEvent()] });
          expect(await store.findIdempotencyRecord(idempotencyRecord)).to.deep.equal({ kind: 'free' });
          await appended(store, appendOf(idempotencyRecord));
        });
      });

    it('lets no instance wait for another that appends under the same key', async () => {
      const rounds = Array.from({ length: 30 }, () => ({
        idempotencyRecord: newIdempotencyRecord(),
        stream: newStream(),
      }));
      for (const { idempotencyRecord, stream } of rounds) {
        const started = performance.now();
        const results = await Promise.all(stores.map((each) => each.append(appendOf(idempotencyRecord, stream))));
        expect(results.filter(({ kind }) => kind === 'appended')).to.have.length(1);
        // EventStoreDB leaves one of two concurrent appends of the same event unanswered for two seconds and more.
        expect(performance.now() - started).to.be.lessThan(1_500);
      }
    });

    it('that ends with what this service has not written is refused', async () => {
      const idempotencyRecord = newIdempotencyRecord();
      await client.appendToStream(streamOf(idempotencyRecord), jsonEvent({ type: 'SomethingElse', data: {} }));
      const reason = await store.findIdempotencyRecord(idempotencyRecord).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(reason).to.be.an('error').with.property('message').that.includes('cannot be read');
    });
  });
});
