import { randomUUID } from 'node:crypto';
import { binaryEvent, EventStoreDBClient, jsonEvent, type EventData } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import { batchesAfter } from '../contract/event-store-records.ts';
import { begin } from '../contract/new-events.ts';
import { newPrefix, withServer } from '../support/servers.ts';

const type = 'ContractTried';
const data = { by: 'hand' };
const metadata = { schemaVersion: 1 };

/** What another program, or an operator by hand, may write; and the error that it leads to. */
const written: readonly (readonly [string, EventData, RegExp])[] = [
  ['no metadata', jsonEvent({ type, data }), /metadata is not a JSON object/],
  ['no version', jsonEvent({ type, data, metadata: { by: 'hand' } }), /no schemaVersion/],
  ['a version that is text', jsonEvent({ type, data, metadata: { schemaVersion: '1' } }), /no schemaVersion/],
  ['half a version', jsonEvent({ type, data, metadata: { schemaVersion: 1.5 } }), /no schemaVersion/],
  ['text for data', jsonEvent({ type, data: 'text', metadata }), /data is not a JSON object/],
  ['bytes', binaryEvent({ type, data: Buffer.from('{}'), metadata }), /data is not a JSON object/],
  ['bytes for metadata', jsonEvent({ type, data, metadata: Uint8Array.of(1, 2) }), /metadata is not a JSON object/],
];

withServer('What something else has written to the service’s streams', 'TEST_EVENTSTORE_URL', (url) => {
  describe('What something else has written to the service’s streams', () => {
    it('is given beside the rest, and drops no subscription', async () => {
      const prefix = newPrefix();
      const dropped: unknown[] = [];
      const store = openEventStoreDb({
        url,
        prefix,
        categories: ['contract'],
        onDropped: (error) => dropped.push(error),
      });
      const client = EventStoreDBClient.connectionString(url);
      const { stream: first } = await begin(store, 1);
      for (const [, event] of written) await client.appendToStream(`${prefix}contract-${randomUUID()}`, event);
      const { stream: last } = await begin(store, 1);

      const events = (await batchesAfter(store, START_POSITION)).flatMap((batch) => batch.events);
      const foreign = events.slice(1, -1);
      expect([events[0]?.stream, events.at(-1)?.stream]).to.deep.equal([first, last]);
      expect(foreign).to.have.length(written.length);
      for (const [index, [what, , complaint]] of written.entries())
        expect(foreign[index]?.foreign, what).to.match(complaint);
      expect(dropped).to.deep.equal([]);
      await client.dispose();
      await store.close();
    });
  });
});
