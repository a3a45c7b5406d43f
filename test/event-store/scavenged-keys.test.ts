import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { readStreamEvents } from '../../src/event-store/eventstoredb/reads.ts';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { NO_STREAM, type EventStore } from '../../src/event-store/port.ts';
import { forEachInParallel } from '../../src/lib/for-each-in-parallel.ts';
import { newEvent, newIdempotencyRecord, newStream } from '../contract/new-events.ts';
import { eventually } from '../support/eventually.ts';
import { ownServer, withOwnServers, type OwnServer } from '../support/own-servers.ts';

const NAME = 'What a scavenge leaves of Idempotency-Keys';
const KEYS = Number(process.env['TEST_SCAVENGED_KEYS'] ?? '300');
const AT_ONCE = 32;
const PREFIX = 'scavenged-';
const CHUNK_BYTES = 1_048_576;
/** The least that the setting allows; a key's request is over within it. */
const MAX_AGE_SECONDS = 1;
/** With TEST_SCAVENGED_KEYS set, prints the figures. */
const report = (figures: object): void => {
  if (process.env['TEST_SCAVENGED_KEYS'] !== undefined) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
};
const PERSONAL = /\+1202555\d{4}|code-of-\d+/g;

withOwnServers(NAME, ['eventStore'], () => {
  describe(NAME, function () {
    this.timeout(600_000);
    let server: OwnServer;
    let store: EventStore;
    let client: EventStoreDBClient;
    let lastKey = '';
    before(async () => {
      // A scavenge rewrites only full chunks.
      const settings = { EVENTSTORE_CHUNK_SIZE: String(CHUNK_BYTES), EVENTSTORE_CACHED_CHUNKS: '0' };
      server = await ownServer('eventStore', settings);
      await server.start();
      const { url } = server;
      store = openEventStoreDb({ url, prefix: PREFIX, categories: ['contract'], keyMaxAgeSeconds: MAX_AGE_SECONDS });
      client = EventStoreDBClient.connectionString(url);
    });
    after(async () => {
      await store.close();
      await client.dispose();
      await server.remove();
    });

    /** A scavenge then removes the stream's older events too, so that no other copies of the data are left. */
    const keepLastOnly = (stream: string) => client.setStreamMetadata(stream, { maxCount: 1 });

    /** Requests under keys: with a claim or without one, and some that lose a race. */
    const useKeys = async (): Promise<void> => {
      const numbers = Array.from({ length: KEYS }, (_, number) => number);
      const streams = Array.from({ length: AT_ONCE }, () => ({ name: newStream(), revision: NO_STREAM }));
      for (const { name } of streams) await keepLastOnly(PREFIX + name);
      await forEachInParallel(numbers, AT_ONCE, async (number) => {
        const stream = streams.pop();
        if (!stream) throw new Error('There are more tasks than streams');
        const phoneNumber = `+1202555${String(number).padStart(4, '0')}`;
        const idempotencyRecord = newIdempotencyRecord({ result: { sentTo: `code-of-${number}`, phoneNumber } });
        lastKey = idempotencyRecord.key;
        const claimed = number % 2 === 0 ? await store.claimKey(idempotencyRecord) : undefined;
        const claim = claimed?.kind === 'claimed' ? claimed.claim : undefined;
        const isLost = number % 5 === 0;
        const { kind } = await store.append({
          stream: stream.name,
          expectedRevision: stream.revision - (isLost && stream.revision > 0 ? 1 : 0),
          events: [newEvent(isLost ? { phoneNumber } : {})],
          idempotencyRecord: { ...idempotencyRecord, claim },
        });
        if (kind === 'appended') stream.revision++;
        streams.push(stream);
      });
    };

    const fillChunk = async (): Promise<void> => {
      await keepLastOnly('filler');
      const pad = 'x'.repeat(CHUNK_BYTES / 16);
      for (let event = 0; event <= 16; event++)
        await client.appendToStream('filler', jsonEvent({ type: 'Filler', data: { pad } }));
    };

    const scavenge = async (): Promise<void> => {
      const { host } = new URL(server.url.replace('esdb:', 'http:'));
      const answer = await fetch(`http://${host}/admin/scavenge`, { method: 'POST' });
      const [, id = ''] = /ScavengeId: (\S+)/.exec(await answer.text()) ?? [];
      await eventually(
        'the scavenge is over',
        async () => {
          const records = await readStreamEvents(client, `$scavenges-${id}`, { fromRevision: 0n });
          return records.some(({ type }) => type === '$scavengeCompleted');
        },
        300_000,
      );
    };

    const chunks = async (): Promise<Buffer[]> => {
      const names = (await readdir(server.directory)).filter((name) => name.startsWith('chunk-'));
      return Promise.all(names.map((name) => readFile(join(server.directory, name))));
    };
    /** The size of the server's files, the personal data in them, and how many records of keys. */
    const onDisk = async () => {
      const files = await chunks();
      const found = files.flatMap((file) => file.toString('latin1').match(PERSONAL) ?? []);
      const records: Record<string, number> = {};
      for await (const { event } of client.readAll({ maxCount: 1_000_000 }))
        if (event?.streamId.includes(`idempotency-${PREFIX}`)) records[event.type] = (records[event.type] ?? 0) + 1;
      return { bytes: files.reduce((sum, { length }) => sum + length, 0), personal: new Set(found).size, records };
    };

    /** Whether the last key's records are past their maximum age, so that a scavenge may remove them. */
    const isForgotten = async (): Promise<boolean> =>
      (await readStreamEvents(client, `idempotency-${PREFIX}${lastKey}`, { fromRevision: 0n })).length === 0;

    it('is a small record of each, and none of the personal data', async () => {
      // Given keys that have aged
      await useKeys();
      await eventually('the last key has aged', isForgotten);
      await fillChunk();
      const before = await onDisk();
      expect(before.personal).to.equal(2 * KEYS);

      // When
      await scavenge();

      // Then
      const after = await onDisk();
      report({ keys: KEYS, before, after });
      expect(after.personal).to.equal(0);
      expect(after.records).to.deep.equal({ KeyUsed: KEYS, $metadata: KEYS });
    });
  });
});
