import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entityKinds, referenceMembersByKind, categoriesByEntityKind } from '../../domain/entity.ts';
import { eventDefinitions } from '../../domain/index.ts';
import { columnsOfMembers } from '../warehouse/member-columns.ts';
import { literal, quotedIdentifier, rowsOfQuery, textOfQuery, type Database } from '../warehouse/duckdb.ts';
import { filteredEventViewsSql } from '../warehouse/schema.ts';
import type { LogRange } from '../moment/moment.ts';
import { sizeAndChecksumOfFile } from '../../lib/file-checksum.ts';
import type { WarehouseExportContext } from './tables.ts';
import type { WrittenPart } from './writer.ts';

/** The text of a statement, each in a file of its own in `statements/`. */
export const readStatementFile = (name: string): string =>
  readFileSync(fileURLToPath(import.meta.resolve(`#export/${name}.sql`)), 'utf8');

/** What `IDENTIFIER_PATTERN` matches; DuckDB's patterns have no lookahead. */
const IS_IDENTIFIER = "regexp_full_match(actor, '[A-Za-z0-9._~|@+=-]{1,128}') AND actor NOT IN ('.', '..')";

/** The objects that events name, by the member that does; a user who acted, by `actor`. */
const namings = (isMasked: boolean): string => {
  const byMembers = eventDefinitions.flatMap(({ type, data }) => {
    const members = columnsOfMembers(data, isMasked).map(({ name }) => name);
    return entityKinds.flatMap((kind) =>
      referenceMembersByKind[kind]
        .filter((member) => members.includes(member))
        .map(
          (member) =>
            `SELECT seq, position, recorded_at, ${literal(kind)} AS kind, ${quotedIdentifier(member)} AS id, ${literal(member)} AS qualifier FROM ${quotedIdentifier(type)} WHERE ${quotedIdentifier(member)} IS NOT NULL`,
        ),
    );
  });
  const byActor = `SELECT seq, position, recorded_at, 'user', actor, 'actor' FROM events WHERE data IS NOT NULL AND ${IS_IDENTIFIER}`;
  return [...byMembers, byActor].join(' UNION ALL ');
};

/** The object in whose stream an event stands. */
const owned = (): string => {
  const kinds = entityKinds.flatMap((kind) =>
    categoriesByEntityKind[kind].map((category) => `WHEN ${literal(category)} THEN ${literal(kind)}`),
  );
  return `SELECT * FROM (
    SELECT seq, recorded_at, CASE split_part(stream, '-', 1) ${kinds.join(' ')} END AS owner_kind,
      substr(stream, instr(stream, '-') + 1) AS owner_id
    FROM events WHERE data IS NOT NULL
  ) WHERE owner_kind IS NOT NULL`;
};

/**
 * Shows a connection a part of the event log from its beginning: its events and what follows from them, the objects
 * that they name (`namings`), those that they are of (`owned`), and what they tell of each kind of object
 * (`<kind>_facts`).
 *
 * @param types of those that are left in; undefined: all
 */
export const createExportViews = async (
  { database, isMasked }: WarehouseExportContext,
  { upTo, recordedBy = null }: LogRange,
  types: readonly string[] | undefined,
): Promise<void> => {
  const end = await textOfQuery(database, 'SELECT position FROM internal.state');
  const isAll = end === upTo && recordedBy === null && types === undefined;
  const views = [
    ...(isAll ? [] : [filteredEventViewsSql({ position: upTo, at: recordedBy, types }, 'VIEW')]),
    // What is read several times is a table.
    `CREATE TEMP TABLE namings AS ${namings(isMasked)}`,
    `CREATE TEMP VIEW owned AS ${owned()}`,
    ...entityKinds.map(
      (kind) => `CREATE TEMP ${kind === 'candidate' ? 'TABLE' : 'VIEW'} ${kind}_facts AS ${readStatementFile(kind)}`,
    ),
  ];
  await database.connection.run(views.join(';\n'));
};

/** The one part of a whole file, and what it is made from: the events that are shown. */
export const describeWholeFilePart = async (
  database: Database,
  { upTo }: LogRange,
  file: string,
  rows: number,
): Promise<WrittenPart> => {
  const [row] = await rowsOfQuery(database, 'SELECT count(*), count(*) - count(data) FROM events');
  const id = await textOfQuery(database, 'SELECT id FROM events WHERE position = $1', [upTo]);
  const files = [{ name: basename(file), rows, ...(await sizeAndChecksumOfFile(file)) }];
  return { upTo, id, events: Number(row?.[0]), unreadable: Number(row?.[1]), files };
};

/** Rows that are sorted at a time: more are not in memory at once. */
const ROWS_PER_RUN = 25_000;

/** Conditions on a column of numbers: one for each run of the rows of a table, in their order. */
export const readRowRangeConditions = async (
  database: Database,
  column: string,
  table: string,
): Promise<readonly string[]> => {
  const [row] = await rowsOfQuery(database, `SELECT min(${column}) - 1, max(${column}) FROM ${table}`);
  const [before, last] = [Number(row?.[0] ?? 0), Number(row?.[1] ?? 0)];
  return Array.from({ length: Math.ceil((last - before) / ROWS_PER_RUN) }, (_, run) => {
    const from = before + run * ROWS_PER_RUN;
    return `${column} > ${from} AND ${column} <= ${from + ROWS_PER_RUN}`;
  });
};
