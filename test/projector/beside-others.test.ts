import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { NO_STREAM, START_POSITION } from '../../src/event-store/port.ts';
import { startProjector } from '../../src/projector/projector.ts';
import { eventually } from '../support/eventually.ts';
import { memoryReadModels, openMemoryReadModels } from '../support/memory-stores.ts';
import { closings, closing } from '../support/projector-stage.ts';
import { newPrefix, withServer } from '../support/servers.ts';

const NAME = 'A projector on an EventStoreDB that others write to';
/** More events than the server searches before it reports a checkpoint. */
const FOREIGN = 5_000;
const BATCH = 500;

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

/** The options of all calls of one client method while something is done. */
const askedOfClients = async (method: 'subscribeToAll' | 'readAll', act: () => Promise<void>): Promise<unknown[]> => {
  const asked: unknown[] = [];
  const original: unknown = Reflect.get(EventStoreDBClient.prototype, method);
  if (typeof original !== 'function') throw new Error(`The client has no ${method}`);
  const watched = new Proxy(original, {
    apply(target, self, [options, ...more]: unknown[]): unknown {
      asked.push(options);
      return Reflect.apply(target, self, [options, ...more]);
    },
  });
  Reflect.set(EventStoreDBClient.prototype, method, watched);
  try {
    await act();
  } finally {
    Reflect.set(EventStoreDBClient.prototype, method, original);
  }
  return asked;
};

withServer(NAME, 'TEST_EVENTSTORE_URL', (url) => {
  describe(NAME, () => {
    it('is at the end of the log before anything is of its own, without a failure', async () => {
      // Given nothing but another service's events
      await appendForeign(url);
      const eventStore = openEventStoreDb({ url, prefix: newPrefix(), categories: ['posting'] });
      const { projection, given } = closings('closings');
      const errors: unknown[] = [];
      const projector = await startProjector({
        eventStore,
        readModels: openMemoryReadModels(),
        projections: [projection],
        onError: (_, error) => errors.push(error),
      });

      // When the projector has passed those, and the first event is appended
      await eventually('it is past it', () => projector.status().every(({ position }) => position > START_POSITION));
      const appended = await eventStore.append({
        stream: 'posting-one',
        expectedRevision: NO_STREAM,
        events: [closing('one')],
      });
      if (appended.kind !== 'appended') throw new Error(appended.kind);
      await projector.reached(['closings'], appended.position, 30_000);
      await projector.stop();
      await eventStore.close();

      // Then the projector applies it
      expect({ given, errors }).to.deep.equal({ given: ['one'], errors: [] });
    });

    it('has that looked through once while nothing is of its own', async () => {
      await appendForeign(url);
      const eventStore = openEventStoreDb({ url, prefix: newPrefix(), categories: ['posting'] });
      const asked = await askedOfClients('subscribeToAll', async () => {
        expect(await eventStore.readAll(START_POSITION, 1)).to.deep.equal([]);
        expect(await eventStore.readAll(START_POSITION, 1)).to.deep.equal([]);
      });
      await eventStore.close();
      expect(asked).to.have.length(2);
      expect(asked[0]).to.include({ fromPosition: 'start' });
      expect(asked[1]).not.to.include({ fromPosition: 'start' });
    });

    it('has that looked through once after the last event of its own', async () => {
      // Given an event, and many events of another service behind it
      const eventStore = openEventStoreDb({ url, prefix: newPrefix(), categories: ['posting'] });
      const appended = await eventStore.append({
        stream: 'posting-one',
        expectedRevision: NO_STREAM,
        events: [closing('one')],
      });
      if (appended.kind !== 'appended') throw new Error(appended.kind);
      await appendForeign(url);
      const look = () =>
        askedOfClients('readAll', async () => {
          expect(await eventStore.head()).to.equal(appended.position);
        });

      // When the end of the event log is read twice
      const [first, second] = [await look(), await look()];
      await eventStore.close();

      // Then the second read ends where the first began
      expect(first).to.have.length.above(2);
      expect(second).to.have.length(1);
    });

    it('goes on where it was when it starts again, though that is past the last event of its own', async () => {
      // Given a projection whose checkpoint has advanced over another service's events
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
      await eventStore.append({ stream: 'posting-one', expectedRevision: NO_STREAM, events: [closing('one')] });
      const first = await start();
      await appendForeign(url);
      const head = await eventStore.head();
      await eventually('the checkpoint is past it', () => first.status().every(({ position }) => position > head));
      await first.stop();

      // When it starts again
      const second = await start();
      await eventually('it is ready', () => second.status().every(({ position }) => position >= head));
      await second.stop();
      await eventStore.close();

      // Then it was not built anew
      expect({ given, errors }).to.deep.equal({ given: ['one'], errors: [] });
    });
  });
});
