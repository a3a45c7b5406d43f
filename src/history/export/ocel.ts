import { join } from 'node:path';
import { entityKinds, referenceMembersByKind } from '../../domain/entity.ts';
import { replaceWithEmptyFile, renameIntoPlace, syncToDisk, unfinishedName } from '../../lib/files.ts';
import { openWriter, setPragmas, type Connection } from '../../sqlite/connections.ts';
import { removeDatabase } from '../../sqlite/files.ts';
import { describeColumns, streamFirstColumn, type TableColumn } from '../warehouse/sql-result.ts';
import { literal, quotedIdentifier, timeTextSql, type Database } from '../warehouse/duckdb.ts';
import { commonColumns, eventTablesOf, type EventTable } from './export-columns.ts';
import { readRowRangeConditions, createExportViews, readStatementFile, describeWholeFilePart } from './statements.ts';
import type { WarehouseExportContext } from './tables.ts';
import type { ExportWriterFactory } from './writer.ts';

const OCEL_FILE = 'log.ocel.sqlite';

/** The types of columns as SQLite declares them; lists and objects are JSON as text, times RFC 3339 in UTC. */
const declaredType = ({ type }: TableColumn): string => {
  if (type.startsWith('TIMESTAMP')) return 'TIMESTAMP';
  return { BIGINT: 'INTEGER', INTEGER: 'INTEGER', DOUBLE: 'REAL', BOOLEAN: 'BOOLEAN' }[type] ?? 'TEXT';
};

const declared = (columns: readonly TableColumn[]): string =>
  columns.map((column) => `, ${quotedIdentifier(column.name)} ${declaredType(column)}`).join('');

/** A value as SQLite is to have it, in SQL. */
const cellOf = ({ name, type }: TableColumn): string => {
  if (type.startsWith('TIMESTAMP')) return timeTextSql(quotedIdentifier(name));
  return type === 'JSON' ? `CAST(${quotedIdentifier(name)} AS VARCHAR)` : quotedIdentifier(name);
};

/**
 * The tables that every log of the standard has (OCEL 2.0, relational format). Rows come in the order of their keys,
 * and are kept by them alone.
 */
const GENERAL = `
CREATE TABLE event_map_type (ocel_type TEXT PRIMARY KEY, ocel_type_map TEXT);
CREATE TABLE object_map_type (ocel_type TEXT PRIMARY KEY, ocel_type_map TEXT);
CREATE TABLE event (
  ocel_id TEXT PRIMARY KEY, ocel_type TEXT NOT NULL,
  FOREIGN KEY (ocel_type) REFERENCES event_map_type (ocel_type)
) WITHOUT ROWID;
CREATE TABLE object (
  ocel_id TEXT PRIMARY KEY, ocel_type TEXT NOT NULL,
  FOREIGN KEY (ocel_type) REFERENCES object_map_type (ocel_type)
) WITHOUT ROWID;
CREATE TABLE event_object (
  ocel_event_id TEXT, ocel_object_id TEXT, ocel_qualifier TEXT,
  PRIMARY KEY (ocel_event_id, ocel_object_id, ocel_qualifier),
  FOREIGN KEY (ocel_event_id) REFERENCES event (ocel_id),
  FOREIGN KEY (ocel_object_id) REFERENCES object (ocel_id)
) WITHOUT ROWID;
CREATE TABLE object_object (
  ocel_source_id TEXT, ocel_target_id TEXT, ocel_qualifier TEXT,
  PRIMARY KEY (ocel_source_id, ocel_target_id, ocel_qualifier),
  FOREIGN KEY (ocel_source_id) REFERENCES object (ocel_id),
  FOREIGN KEY (ocel_target_id) REFERENCES object (ocel_id)
) WITHOUT ROWID;
`;

/** Whether a column holds an attribute of an object. */
const isAttribute = (shared: ReadonlySet<string>) => {
  const others = new Set([...shared, ...Object.values(referenceMembersByKind).flat()]);
  return ({ name }: TableColumn): boolean => !others.has(name);
};

/** Puts the rows of a SELECT of DuckDB into a table of SQLite, in their order. */
type Insert = (table: string, columns: readonly string[], select: string) => Promise<number>;

const insertInto =
  (connection: Connection, { database, signal }: WarehouseExportContext): Insert =>
  async (table, columns, select) => {
    const names = columns.map(quotedIdentifier);
    const values = names.map((_, index) => `value ->> ${index}`).join(', ');
    // Rows go over as few texts: bound one by one they would take several times as long.
    const insert = connection.prepare(
      `INSERT INTO ${quotedIdentifier(table)} (${names.join(', ')}) SELECT ${values} FROM json_each(?)`,
    );
    const rows = `SELECT CAST(json_array(${columns.map((_, index) => `c${index}`).join(', ')}) AS VARCHAR)
      FROM (${select}) AS t(${columns.map((_, index) => `c${index}`).join(', ')})`;
    let count = 0;
    connection.exec('BEGIN');
    for await (const texts of streamFirstColumn(database, rows, signal)) {
      insert.run([`[${texts.join(',')}]`]);
      count += texts.length;
    }
    connection.exec('COMMIT');
    return count;
  };

/** Writes the events of each type. @param runs of them, in order. @returns how many */
const writeEvents = async (
  connection: Connection,
  insert: Insert,
  tables: readonly EventTable[],
  runs: readonly string[],
): Promise<number> => {
  let count = 0;
  const types = tables.map(({ type }) => literal(type)).join(', ');
  for (const run of runs)
    count += await insert(
      'event',
      ['ocel_id', 'ocel_type'],
      `SELECT position, type FROM events WHERE ${run} AND data IS NOT NULL AND type IN (${types}) ORDER BY seq`,
    );
  for (const { type, columns: all } of tables) {
    const columns = all.filter(({ name }) => name !== 'position' && name !== 'recorded_at');
    const table = `event_${type}`;
    connection.exec(
      `INSERT INTO event_map_type VALUES ('${type}', '${type}');
       CREATE TABLE ${quotedIdentifier(table)} (
         ocel_id TEXT PRIMARY KEY, ocel_time TIMESTAMP${declared(columns)},
         FOREIGN KEY (ocel_id) REFERENCES event (ocel_id)) WITHOUT ROWID;`,
    );
    for (const run of runs)
      await insert(
        table,
        ['ocel_id', 'ocel_time', ...columns.map(({ name }) => name)],
        `SELECT position, ${[timeTextSql('recorded_at'), ...columns.map(cellOf)].join(', ')}
         FROM (SELECT *, event_id AS id FROM ${quotedIdentifier(type)}) WHERE ${run} ORDER BY seq`,
      );
  }
  return count;
};

/**
 * Writes the objects: the attributes that the first event about an object gives it, at its time, and then each change.
 * An object without such an event has only the time when it was first named.
 */
const writeObjects = async (
  database: Database,
  connection: Connection,
  insert: Insert,
  shared: ReadonlySet<string>,
): Promise<void> => {
  const { connection: duckdb } = database;
  await duckdb.run(
    `CREATE TEMP TABLE objects AS SELECT *, row_number() OVER (ORDER BY object) AS nth FROM (\n${readStatementFile('object')}\n)`,
  );
  for (const kind of entityKinds) {
    const attributes = (await describeColumns(database, `FROM ${kind}_facts`)).filter(isAttribute(shared));
    const names = attributes.map(({ name }) => quotedIdentifier(name));
    const table = `object_${kind}`;
    connection.exec(
      `INSERT INTO object_map_type VALUES ('${kind}', '${kind}');
       CREATE TABLE ${table} (
         ocel_id TEXT, ocel_time TIMESTAMP, ocel_changed_field TEXT${declared(attributes)},
         FOREIGN KEY (ocel_id) REFERENCES object (ocel_id));`,
    );
    // Values may be long: their digests are compared.
    const digests = names.map((name) => `md5_number(CAST(${name} AS VARCHAR)) AS ${name}`);
    await duckdb.run(
      `CREATE OR REPLACE TEMP TABLE digests AS
         SELECT ${['id', 'seq', 'source', ...digests].join(', ')} FROM ${kind}_facts WHERE id IS NOT NULL;
       CREATE OR REPLACE TEMP TABLE firsts AS SELECT id, min(seq) AS seq FROM digests GROUP BY id`,
    );
    for (const run of await readRowRangeConditions(database, 'nth', `objects WHERE kind = '${kind}'`))
      await insert(
        table,
        ['ocel_id', 'ocel_time', 'ocel_changed_field', ...attributes.map(({ name }) => name)],
        `SELECT object, ${[timeTextSql('coalesce(recorded_at, named_at)'), 'NULL', ...attributes.map(cellOf)].join(', ')}
         FROM (FROM objects WHERE kind = '${kind}' AND ${run})
         LEFT JOIN (FROM ${kind}_facts JOIN firsts USING (id, seq)) USING (id) ORDER BY object`,
      );
    for (const [index, attribute] of attributes.entries()) {
      const name = names[index] ?? '';
      await duckdb.run(
        `CREATE OR REPLACE TEMP TABLE changes AS SELECT id, seq, row_number() OVER (ORDER BY seq, id) AS nth FROM (
           SELECT id, seq, ${name} AS digest, lag(${name}) OVER (PARTITION BY id, source ORDER BY seq) AS before_it FROM digests
         ) WHERE digest IS DISTINCT FROM before_it AND seq NOT IN (SELECT seq FROM firsts)`,
      );
      for (const run of await readRowRangeConditions(database, 'nth', 'changes'))
        await insert(
          table,
          ['ocel_id', 'ocel_time', 'ocel_changed_field', attribute.name],
          `SELECT '${kind}/' || id, ${timeTextSql('recorded_at')}, ${literal(attribute.name)}, ${cellOf(attribute)}
           FROM ${kind}_facts JOIN (FROM changes WHERE ${run}) USING (id, seq) ORDER BY nth`,
        );
    }
  }
};

/** Columns of facts that are no attributes. */
const NO_ATTRIBUTES = ['id', 'event_id', 'source', 'is_closing', 'recorded_on', 'seq'];

/** Writes an object-centric event log (OCEL 2.0) in one file of SQLite, which is made as a whole. */
export const createOcelWriterFactory =
  (warehouse: WarehouseExportContext, types: readonly string[] | undefined): ExportWriterFactory =>
  ({ operations, directory }) => {
    const { database, isMasked } = warehouse;
    const file = join(directory, OCEL_FILE);
    const unfinished = unfinishedName(file);
    removeDatabase(unfinished);
    replaceWithEmptyFile(unfinished, operations);
    const connection = openWriter(unfinished, 'OFF', 'TRUNCATE');
    // What a kill leaves is made anew.
    setPragmas(connection, 'journal_mode = OFF', 'foreign_keys = OFF');
    let isOpen = true;
    const close = (): void => {
      if (isOpen) connection.close();
      isOpen = false;
    };
    return {
      async write(range) {
        await createExportViews(warehouse, range, types);
        connection.exec(GENERAL);
        const insert = insertInto(connection, warehouse);
        const shared = new Set([...NO_ATTRIBUTES, ...commonColumns.map(({ name }) => name)]);
        const runs = await readRowRangeConditions(database, 'seq', 'events');
        const rows = await writeEvents(connection, insert, eventTablesOf(isMasked, types), runs);
        await writeObjects(database, connection, insert, shared);
        await insert('object', ['ocel_id', 'ocel_type'], 'SELECT object, kind FROM objects ORDER BY object');
        for (const run of runs)
          await insert(
            'event_object',
            ['ocel_event_id', 'ocel_object_id', 'ocel_qualifier'],
            `SELECT position, object, qualifier FROM (\n${readStatementFile('event_object')}\n) WHERE ${run} ORDER BY ALL`,
          );
        await insert(
          'object_object',
          ['ocel_source_id', 'ocel_target_id', 'ocel_qualifier'],
          readStatementFile('object_object'),
        );
        close();
        operations.rmSync(`${unfinished}-journal`, { force: true });
        syncToDisk(unfinished, operations);
        renameIntoPlace(file, operations);
        return describeWholeFilePart(database, range, file, rows);
      },
      close,
    };
  };
