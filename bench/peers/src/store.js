// @ts-check
import { getSQLiteEventStore, sqliteConnection } from '@event-driven-io/emmett-sqlite';

/**
 * Opens Emmett's event store on one connection, which also serves the read model; makes the file if there is none.
 * README.md, Connections, tells why there is only one.
 *
 * @param {string} fileName
 */
export const openStore = async (fileName) => {
  const connection = sqliteConnection({ fileName });
  // Emmett does this too, but does not wait for it: a transaction can overtake it, and a new file then stays without
  // WAL.
  await connection.query('PRAGMA journal_mode = WAL');
  // As much as the service gives its read models.
  await connection.query('PRAGMA cache_size = -64000');
  const store = getSQLiteEventStore({ fileName, connectionOptions: { singleton: true, connection } });
  await store.schema.migrate();
  return { store, connection };
};
