import { eventDefinitions } from '../../domain/index.ts';
import { quoted, rowsOfQuery, textOfQuery, type Database } from './duckdb.ts';
import { CATALOG, rowsOfType } from './schema.ts';
import { derivedTables, keyColumnOf, keys, typesWith, type Key } from './tables.ts';

/**
 * Recorded times of a stream never go back: those of old event logs did where clocks did. Only streams are looked at with
 * an event that was recorded before an earlier one of any stream: most logs have none.
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

/** Puts events into the tables of their types. */
const storeByType = async (database: Database, after: number, isMasked: boolean): Promise<void> => {
  const types = await rowsOfQuery(database, `SELECT DISTINCT type FROM events WHERE seq > ${after}`);
  const present = new Set(types.map(([type]) => type));
  for (const definition of eventDefinitions)
    if (present.has(definition.type))
      await database.connection.run(
        `INSERT INTO ${quoted(definition.type)} ${rowsOfType(definition, isMasked, `seq > ${after}`)}`,
      );
};

const stored = (table: string): string => `${CATALOG}.main.${quoted(table)}`;

/**
 * Derives the rows of the tables of one key anew for each of its values that events name whose numbers are greater than
 * one. The statements see the events of these values alone.
 */
const deriveBy = async (database: Database, key: Key, after: number): Promise<void> => {
  const { connection } = database;
  const types = typesWith(key);
  const tables = derivedTables.filter((table) => table.key === key);
  const named = types.map((type) => `SELECT ${key} FROM ${stored(type)} WHERE seq > ${after}`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE touched AS ${named.join(' UNION ')}`);
  if ((await textOfQuery(database, 'SELECT 1 FROM touched LIMIT 1')) === undefined) return;
  const show = (table: string, column: string) =>
    connection.run(
      `CREATE TEMP VIEW ${quoted(table)} AS SELECT * FROM ${stored(table)} WHERE ${column} IN (FROM touched)`,
    );
  for (const type of types) await show(type, key);
  for (const { name, select } of tables) {
    await connection.run(`DELETE FROM ${stored(name)} WHERE ${keyColumnOf(key)} IN (FROM touched)`);
    await connection.run(`INSERT INTO ${stored(name)} ${select}`);
    await show(name, keyColumnOf(key));
  }
  for (const name of [...types, ...tables.map((table) => table.name)])
    await connection.run(`DROP VIEW temp.${quoted(name)}`);
};

/** Derives the tables of types, of what is and of what happened from the events whose numbers are greater than one. */
export const derive = async (database: Database, after: number, isMasked: boolean): Promise<void> => {
  await database.connection.run(raiseTimes(after));
  await storeByType(database, after, isMasked);
  for (const key of keys) await deriveBy(database, key, after);
};
