import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStoreDb } from '../src/event-store/eventstoredb.ts';
import { NO_STREAM } from '../src/event-store/port.ts';
import { startProjector } from '../src/projector.ts';
import { eventually } from './eventually.ts';
import { memoryReadModels, openMemoryReadModels } from './memory-stores.ts';
import { closings } from './projector-stage.ts';
import { newPrefix, withServer } from './servers.ts';
import { metadata } from './examples.ts';

const NAME = 'A projector on an EventStoreDB that others write to';
/** More than the server looks through before it says how far it has come. */
const FOREIGN = 5_000;
const BATCH = 500;

/** Events of nobody's that the service knows. */
const appendForeign = async (url: string): Promise<void> => {
  const client = EventStoreDBClient.connectionString(url);
  const stream = `other-${randomUUID()}`;
  for (let appended = 0; appended < FOREIGN; appended += BATCH)
    await client.appendToStream(
      stream,
      Array.from({ length: BATCH }, () => jsonEvent({ type: 'Other', data: {} })),
    );
  await client.dispose();
};

withServer(NAME, 'TEST_EVENTSTORE_URL', (url) => {
  describe(NAME, function () {
    this.timeout(60_000);

    it('goes on where it was when it starts again, though that is past the last event of its own', async () => {
      // Given a projection whose checkpoint has advanced over what others have written
      const eventStore = openEventStoreDb({ url, prefix: newPrefix(), categories: ['posting'] });
      const disk = memoryReadModels();
      const { projection, given } = closings('closings');
      const errors: unknown[] = [];
      const start = () =>
        startProjector({
          eventStore,
          readModels: openMemoryReadModels(disk),
          projections: [projection],
          onError: (_, error) => errors.push(error),
        });
      await eventStore.append({
        stream: 'posting-one',
        expectedRevision: NO_STREAM,
        events: [
          { id: randomUUID(), type: 'PostingClosed', version: 1, data: { postingId: 'one' }, metadata },
        ],
      });
      const first = await start();
      await appendForeign(url);
      const head = await eventStore.head();
      await eventually('the checkpoint is past it', () =>
        first.status().every(({ position }) => position > head),
      );
      await first.stop();

      // When it starts again
      const second = await start();
      await eventually('it is ready', () => second.isCaughtUp());
      await second.stop();
      await eventStore.close();

      // Then it was not built anew
      expect({ given, errors }).to.deep.equal({ given: ['one'], errors: [] });
    });
  });
});
