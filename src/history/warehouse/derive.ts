import { eventDefinitions } from '../../domain/index.ts';
import { inTransaction, quotedIdentifier, rowsOfQuery, textOfQuery, type Database } from './duckdb.ts';
import { WAREHOUSE_CATALOG, rowsOfTypeSql } from './schema.ts';
import {
  dependentKeysSql,
  derivedTables,
  keyColumnOf,
  entityIdMembers,
  typesReadBy,
  type EntityIdMember,
} from './derived-tables.ts';

/**
 * Raises recorded times, so that they never go back in a stream. In old event logs they did where a clock was set back.
 * Only streams with an event that was recorded before an earlier one of any stream are read: most logs have none.
 */
const raiseTimes = (after: number): string => `
  UPDATE events SET recorded_at = raised FROM (
    SELECT seq AS raised_seq, max(recorded_at) OVER (PARTITION BY stream ORDER BY seq) AS raised FROM events
    WHERE stream IN (SELECT stream FROM events WHERE seq IN (
      SELECT seq FROM (
        SELECT seq, recorded_at, max(recorded_at) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING) AS latest
        FROM events WHERE seq > ${after}
      ) WHERE recorded_at < greatest(latest, (SELECT max(recorded_at) FROM events WHERE seq <= ${after}))
    ))
  ) WHERE seq = raised_seq AND seq > ${after} AND recorded_at < raised`;

/** Events that are stored by type in one transaction: what is not committed is held in memory. */
const EVENTS_PER_STORE = 500_000;

/** Puts the events numbered above `after`, up to `upTo`, into the tables of their types, unless they are there. */
const storeByType = async (database: Database, after: number, upTo: number, isMasked: boolean): Promise<void> => {
  const types = await rowsOfQuery(database, `SELECT DISTINCT type FROM events WHERE seq > ${after} AND seq <= ${upTo}`);
  const present = new Set(types.map(([type]) => type));
  for (const definition of eventDefinitions) {
    if (!present.has(definition.type)) continue;
    const table = quotedIdentifier(definition.type);
    const last = await textOfQuery(database, `SELECT max(seq) FROM ${table}`);
    const isMissing = `seq > ${Math.max(after, Number(last ?? 0))} AND seq <= ${upTo}`;
    await database.connection.run(`INSERT INTO ${table} ${rowsOfTypeSql(definition, isMasked, isMissing)}`);
  }
};

const stored = (table: string): string => `${WAREHOUSE_CATALOG}.main.${quotedIdentifier(table)}`;

/** Events from which rows are derived at once, about; those of one entity stay together. */
const EVENTS_PER_BATCH = 150_000;

/** Columns of events from which nothing is derived. */
const NEVER_READ = 'position, stream, revision, version, actor, request_id, correlation_id, event_id, recorded_on';

/**
 * Derives the rows of a key's tables anew, for each value of it that events numbered above `after` name. The events of
 * some values at a time are put into small tables, which the statements read: their memory does not grow with the event
 * log.
 */
const deriveBy = async (database: Database, key: EntityIdMember, after: number, batchEvents: number): Promise<void> => {
  const { connection } = database;
  const types = typesReadBy(key);
  const tables = derivedTables.filter((table) => table.key === key);
  const keysOf = (condition: string) =>
    types.map((type) => `SELECT hash(${key}) AS key FROM ${stored(type)} WHERE ${condition}`);
  // In a new warehouse all values are touched.
  const others = after === 0 ? [] : dependentKeysSql(key, after);
  const touched = [...keysOf(`seq > ${after} AND ${key} IS NOT NULL`), ...others].join(' UNION ALL ');
  // Estimated, as the exact number would take memory for each value.
  const batches = await textOfQuery(
    database,
    `SELECT ceil(events * (SELECT approx_count_distinct(key) FROM (${touched})) / keys / ${batchEvents})
     FROM (SELECT count(*) AS events, greatest(1, approx_count_distinct(key)) AS keys FROM (${keysOf('true').join(' UNION ALL ')}))`,
  );
  const copies = [...types, ...tables.map(({ name }) => name)].map((name) => `temp.${quotedIdentifier(name)}`);
  for (let batch = 0; batch < Number(batches); batch++) {
    // Hashes take less memory than texts. Where two are the same, rows are derived anew that need not be.
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE touched AS SELECT DISTINCT key FROM (${touched}) WHERE key % ${Number(batches)} = ${batch}`,
    );
    const inBatch = 'IN (FROM touched)';
    for (const type of types)
      await connection.run(
        `CREATE TEMP TABLE ${quotedIdentifier(type)} AS SELECT * EXCLUDE (${NEVER_READ}) FROM ${stored(type)} WHERE hash(${key}) ${inBatch}`,
      );
    await inTransaction(database, async () => {
      for (const { name, select } of tables) {
        await connection.run(`CREATE TEMP TABLE ${name} AS ${select}`);
        await connection.run(`DELETE FROM ${stored(name)} WHERE hash(${keyColumnOf(key)}) ${inBatch}`);
        await connection.run(`INSERT INTO ${stored(name)} FROM temp.${name}`);
      }
    });
    for (const copy of copies) await connection.run(`DROP TABLE ${copy}`);
  }
};

/**
 * Stores the events numbered above `after`, up to `upTo`, by type, and derives from them what is and what happened.
 * After a kill, wherever it came, the next run completes the same tables.
 */
export const updateWarehouseTables = async (
  database: Database,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  isMasked: boolean,
  batchEvents = EVENTS_PER_BATCH,
): Promise<void> => {
  await database.connection.run(raiseTimes(after));
  for (let from = after; from < upTo; from += EVENTS_PER_STORE)
    await storeByType(database, from, Math.min(from + EVENTS_PER_STORE, upTo), isMasked);
  for (const key of entityIdMembers) await deriveBy(database, key, after, batchEvents);
};
