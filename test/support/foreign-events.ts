import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { openWriter } from '../../src/sqlite/connections.ts';
import type { EventStoreSettings } from '../../src/stores.ts';

/** Writes an event that the service cannot have written as the first of a stream, as an operator may by hand. */
export const writeForeign = async (settings: EventStoreSettings, stream: string, type: string): Promise<void> => {
  if (settings.kind === 'eventstoredb') {
    const client = EventStoreDBClient.connectionString(settings.url);
    await client.appendToStream(settings.prefix + stream, jsonEvent({ type, data: {} }));
    await client.dispose();
    return;
  }
  const connection = openWriter(settings.path, 'NORMAL');
  connection
    .prepare(
      `INSERT INTO events (position, stream, revision, id, type, version, data, metadata)
       SELECT coalesce(max(position), 0) + 1, ?, 0, ?, ?, 1, 'no JSON', '{}' FROM events`,
    )
    .run([stream, randomUUID(), type]);
  connection.close();
};

/** Writes an event of the type `Tried` for each of the texts past the store of a file, as an operator may by hand. */
export const writeTried = (path: string, data: readonly string[]): void => {
  const connection = openWriter(path, 'NORMAL');
  const insert = connection.prepare(
    `INSERT INTO events (position, stream, revision, id, type, version, data, metadata)
     VALUES (?, ?, 0, ?, 'Tried', 1, ?, '{}')`,
  );
  for (const [index, each] of data.entries()) insert.run([index + 1, `s${index}`, `e${index}`, each]);
  connection.close();
};
