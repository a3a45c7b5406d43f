import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entityKinds, fieldsReferencing, ownCategories } from '../../domain/entity.ts';
import { eventDefinitions } from '../../domain/index.ts';
import { columnsOfMembers } from '../warehouse/columns.ts';
import { literal, quoted, rowsOfQuery, textOfQuery, type Database } from '../warehouse/duckdb.ts';
import { showEvents } from '../warehouse/schema.ts';
import type { LogRange } from '../moment/moment.ts';
import { sumOfFile } from './files.ts';
import type { ExportWarehouse } from './tables.ts';
import type { WrittenPart } from './writer.ts';

/** The text of a statement, each in a file of its own in `statements/`. */
export const statementIn = (name: string): string =>
  readFileSync(fileURLToPath(import.meta.resolve(`#export/${name}.sql`)), 'utf8');

/** As `IDENTIFIER` of the schemas has it, but for what is looked ahead at. */
const IS_IDENTIFIER = "regexp_full_match(actor, '[A-Za-z0-9._~|@+=-]{1,128}') AND actor NOT IN ('.', '..')";

/** The objects that events name, by the member that does; a user who acted, by `actor`. */
const namings = (isMasked: boolean): string => {
  const byMembers = eventDefinitions.flatMap(({ type, data }) => {
    const members = columnsOfMembers(data, isMasked).map(({ name }) => name);
    return entityKinds.flatMap((kind) =>
      fieldsReferencing[kind]
        .filter((member) => members.includes(member))
        .map(
          (member) =>
            `SELECT seq, position, recorded_at, ${literal(kind)} AS kind, ${quoted(member)} AS id, ${literal(member)} AS qualifier FROM ${quoted(type)} WHERE ${quoted(member)} IS NOT NULL`,
        ),
    );
  });
  const byActor = `SELECT seq, position, recorded_at, 'user', actor, 'actor' FROM events WHERE data IS NOT NULL AND ${IS_IDENTIFIER}`;
  return [...byMembers, byActor].join(' UNION ALL ');
};

/** The object in whose stream an event stands. */
const owned = (): string => {
  const kinds = entityKinds.flatMap((kind) =>
    ownCategories[kind].map((category) => `WHEN ${literal(category)} THEN ${literal(kind)}`),
  );
  return `SELECT * FROM (
    SELECT seq, recorded_at, CASE split_part(stream, '-', 1) ${kinds.join(' ')} END AS owner_kind,
      substr(stream, instr(stream, '-') + 1) AS owner_id
    FROM events WHERE data IS NOT NULL
  ) WHERE owner_kind IS NOT NULL`;
};

/**
 * Shows a connection a part of the event log from its beginning: its events and what follows from them, the objects that
 * they name (`namings`), those that they are of (`owned`), and what they tell of each kind of object (`<kind>_facts`).
 *
 * @param types of those that are left in; undefined: all
 */
export const showLog = async (
  { database, isMasked }: ExportWarehouse,
  { upTo, recordedBy = null }: LogRange,
  types: readonly string[] | undefined,
): Promise<void> => {
  const end = await textOfQuery(database, 'SELECT position FROM internal.state');
  const isAll = end === upTo && recordedBy === null && types === undefined;
  const views = [
    ...(isAll ? [] : [showEvents({ position: upTo, at: recordedBy, types }, 'VIEW')]),
    // What is read several times is a table.
    `CREATE TEMP TABLE namings AS ${namings(isMasked)}`,
    `CREATE TEMP VIEW owned AS ${owned()}`,
    ...entityKinds.map(
      (kind) =>
        `CREATE TEMP ${kind === 'candidate' ? 'TABLE' : 'VIEW'} ${kind}_facts AS ${statementIn(kind)}`,
    ),
  ];
  await database.connection.run(views.join(';\n'));
};

/** The one part of a whole file, and what it is made from: the events that are shown. */
export const wholePart = async (
  database: Database,
  { upTo }: LogRange,
  file: string,
  rows: number,
): Promise<WrittenPart> => {
  const [row] = await rowsOfQuery(database, 'SELECT count(*), count(*) - count(data) FROM events');
  const id = await textOfQuery(database, 'SELECT id FROM events WHERE position = $1', [upTo]);
  const files = [{ name: basename(file), rows, ...(await sumOfFile(file)) }];
  return { upTo, id, events: Number(row?.[0]), unreadable: Number(row?.[1]), files };
};

/** Rows that are sorted at a time: more are not in memory at once. */
const A_RUN = 25_000;

/** Conditions on a column of numbers: one for each run of the rows of a table, in their order. */
export const runsIn = async (
  database: Database,
  column: string,
  table: string,
): Promise<readonly string[]> => {
  const [row] = await rowsOfQuery(database, `SELECT min(${column}) - 1, max(${column}) FROM ${table}`);
  const [before, last] = [Number(row?.[0] ?? 0), Number(row?.[1] ?? 0)];
  return Array.from({ length: Math.ceil((last - before) / A_RUN) }, (_, run) => {
    const from = before + run * A_RUN;
    return `${column} > ${from} AND ${column} <= ${from + A_RUN}`;
  });
};

/** The columns that a SELECT has, with DuckDB's names of their types. */
export const columnsOf = async (
  database: Database,
  select: string,
): Promise<readonly { readonly name: string; readonly type: string }[]> =>
  (await rowsOfQuery(database, `DESCRIBE FROM (\n${select}\n)`)).map(([name, type]) => ({
    name: String(name),
    type: String(type),
  }));
