import { join } from 'node:path';
import type { LogRange } from '../moment/moment.ts';
import { copyTo, PARQUET } from '../warehouse/answer.ts';
import { literal, quoted, rowsOfQuery, textOfQuery, type Database } from '../warehouse/duckdb.ts';
import { createEmptyFile, syncToDisk, type FileOperations } from '../../lib/files.ts';
import { chosenOf, csvOf, eventTables, refuseUnknown, type EventTable } from './columns.ts';
import { sumOfFile, type ExportedFile } from './files.ts';
import type { ExportForm } from './formats.ts';
import type { BeginWriting } from './writer.ts';

/** The warehouse that an export is written from. */
export interface ExportWarehouse {
  readonly database: Database;
  readonly isMasked: boolean;
  readonly signal: AbortSignal;
}

/** The name of a file of one part. */
const partName = (name: string, part: number, ending: string): string =>
  `${name}-${String(part).padStart(5, '0')}.${ending}`;

/** Rows that DuckDB stores together in a file of Parquet, and has in memory until then. */
const ROW_GROUP = 20_480;

/** What a type's table has in a run of events, in their order. Only `events` has their ids. */
const selectOf = (
  { type, columns }: EventTable,
  chosen: readonly string[] | undefined,
  conditions: string,
): string => {
  const cells = chosenOf(columns, chosen).map((column) => {
    const name = quoted(column.name);
    return ['revision', 'version'].includes(column.name) ? `CAST(${name} AS BIGINT) AS ${name}` : name;
  });
  return `SELECT ${cells.join(', ')} FROM ${quoted(type)}
    JOIN (SELECT seq, id FROM events WHERE ${conditions} AND type = ${literal(type)} AND data IS NOT NULL) USING (seq)
    ORDER BY seq`;
};

/** Has DuckDB write a new file. */
export const copyToNewFile = async (
  { database, signal }: ExportWarehouse,
  operations: FileOperations,
  file: string,
  { select, options }: { readonly select: string; readonly options: string },
): Promise<Omit<ExportedFile, 'name'>> => {
  createEmptyFile(file, operations);
  const rows = await copyTo(database, select, file, options, signal);
  syncToDisk(file, operations);
  return { rows, ...(await sumOfFile(file)) };
};

/** The number of the last event up to a position; 0 before the first. */
const seqAt = async (database: Database, position: string): Promise<number> =>
  Number((await textOfQuery(database, 'SELECT max(seq) FROM events WHERE position <= $1', [position])) ?? 0);

/** The events of a range, as conditions on `events`. */
export const conditionsOf = (
  { after, upTo, recordedBy }: LogRange,
  types: readonly string[] | undefined,
): string =>
  [
    `position > ${literal(after)} AND position <= ${literal(upTo)}`,
    ...(recordedBy ? [`coalesce(recorded_at <= TIMESTAMPTZ ${literal(recordedBy)}, true)`] : []),
    ...(types ? [`type IN (${types.map(literal).join(', ')})`] : []),
  ].join(' AND ');

/**
 * Writes a table for each type of events, as CSV or Parquet: for each part, one file for each type of its events.
 *
 * @throws DomainError for a column that no table has
 */
export const tablesWriting = (warehouse: ExportWarehouse, form: ExportForm): BeginWriting => {
  const { database } = warehouse;
  const { format, types, columns: chosen, bom = false } = form;
  const tables = eventTables(warehouse.isMasked, types);
  refuseUnknown(tables, chosen);
  return ({ operations, directory, parts }) => {
    let part = parts;
    return {
      async write(range, maxEvents) {
        part++;
        const all = conditionsOf(range, types);
        const [end] = await rowsOfQuery(
          database,
          `SELECT seq, position, id FROM events WHERE ${all} ORDER BY seq LIMIT 1 OFFSET ${maxEvents - 1}`,
        );
        const upTo = end ? String(end[1]) : range.upTo;
        // By their numbers DuckDB finds them without reading all others.
        const [from, to] = [await seqAt(database, range.after), await seqAt(database, upTo)];
        const conditions = `seq > ${from} AND seq <= ${to} AND ${all}`;
        const counts = await rowsOfQuery(
          database,
          `SELECT type, count(*), count(data) FROM events WHERE ${conditions} GROUP BY type`,
        );
        const readable = new Set(
          counts.flatMap(([type, , read]) => (Number(read) > 0 ? [String(type)] : [])),
        );
        const files: ExportedFile[] = [];
        for (const table of tables) {
          const exported = chosenOf(table.columns, chosen);
          if (!readable.has(table.type) || exported.length === 0) continue;
          const name = partName(table.type, part, format);
          const select = selectOf(table, chosen, conditions);
          const written = await copyToNewFile(
            warehouse,
            operations,
            join(directory, name),
            format === 'csv'
              ? csvOf(exported, select, bom)
              : { select, options: `${PARQUET}, ROW_GROUP_SIZE ${ROW_GROUP}` },
          );
          files.push({ name, ...written });
        }
        syncToDisk(directory, operations);
        const sum = (column: 1 | 2) => counts.reduce((so, row) => so + Number(row[column]), 0);
        return {
          upTo,
          id: end && String(end[2]),
          events: sum(1),
          unreadable: sum(1) - sum(2),
          files,
        };
      },
      close: () => undefined,
    };
  };
};
