import { join } from 'node:path';
import type { LogRange } from '../moment/moment.ts';
import { copyQueryToFile, PARQUET_COPY_OPTIONS } from '../warehouse/sql-result.ts';
import { literal, quotedIdentifier, rowsOfQuery, textOfQuery, type Database } from '../warehouse/duckdb.ts';
import { recordedByCondition } from '../warehouse/schema.ts';
import { replaceWithEmptyFile, syncToDisk, type FileOperations } from '../../lib/files.ts';
import {
  chosenColumns,
  csvSelectAndOptions,
  eventTablesOf,
  refuseUnknownColumns,
  type EventTable,
} from './export-columns.ts';
import { sizeAndChecksumOfFile } from '../../lib/file-checksum.ts';
import type { ExportedFile } from './files.ts';
import type { ExportFormatOptions } from './formats.ts';
import type { ExportWriterFactory } from './writer.ts';

/** The warehouse that an export is written from. */
export interface WarehouseExportContext {
  readonly database: Database;
  readonly isMasked: boolean;
  readonly signal: AbortSignal;
}

/** The name of a file of one part. */
const partName = (name: string, part: number, ending: string): string =>
  `${name}-${String(part).padStart(5, '0')}.${ending}`;

/** Rows that DuckDB stores together in a file of Parquet, and has in memory until then. */
const ROW_GROUP = 20_480;

/** What a type's table has of a part, in the order of the event log. */
const selectOf = ({ type, columns }: EventTable, chosen: readonly string[] | undefined, condition: string): string => {
  const cells = chosenColumns(columns, chosen).map(({ name }) => {
    if (name === 'id') return 'event_id AS id';
    const cell = quotedIdentifier(name);
    return ['revision', 'version'].includes(name) ? `CAST(${cell} AS BIGINT) AS ${cell}` : cell;
  });
  return `SELECT ${cells.join(', ')} FROM ${quotedIdentifier(type)} WHERE ${condition} ORDER BY seq`;
};

/** Has DuckDB write a new file. */
export const copyToNewFile = async (
  { database, signal }: WarehouseExportContext,
  operations: FileOperations,
  file: string,
  { select, options }: { readonly select: string; readonly options: string },
): Promise<Omit<ExportedFile, 'name'>> => {
  replaceWithEmptyFile(file, operations);
  const rows = await copyQueryToFile(database, select, file, options, signal);
  syncToDisk(file, operations);
  return { rows, ...(await sizeAndChecksumOfFile(file)) };
};

/** The events of a range of the log, as a condition. */
const conditionOf = async (database: Database, { after, upTo, recordedBy: at = null }: LogRange): Promise<string> => {
  const [row] = await rowsOfQuery(
    database,
    'SELECT max(seq) FILTER (position <= $1), max(seq) FROM events WHERE position <= $2',
    [after, upTo],
  );
  // By their numbers DuckDB finds them without reading all others.
  const [first, last] = [row?.[0], row?.[1]].map((seq) => Number(seq ?? 0));
  return `seq > ${first} AND seq <= ${last} AND ${recordedByCondition(at)}`;
};

/**
 * Writes a table for each type of events, as CSV or Parquet: for each part, one file for each type of its events.
 *
 * @throws DomainError for a column that no table has
 */
export const createTablesWriterFactory = (
  warehouse: WarehouseExportContext,
  form: ExportFormatOptions,
): ExportWriterFactory => {
  const { database } = warehouse;
  const { format, types, columns: chosen, bom = false } = form;
  const tables = eventTablesOf(warehouse.isMasked, types);
  refuseUnknownColumns(tables, chosen);
  return ({ operations, directory, parts }) => {
    let part = parts;
    return {
      async write(range, maxEvents) {
        part++;
        const inRange = await conditionOf(database, range);
        const ofTypes = types ? ` AND type IN (${types.map(literal).join(', ')})` : '';
        const lastSeq = await textOfQuery(
          database,
          `SELECT seq FROM events WHERE ${inRange}${ofTypes} ORDER BY seq LIMIT 1 OFFSET ${maxEvents - 1}`,
        );
        const inPart = lastSeq === undefined ? inRange : `${inRange} AND seq <= ${lastSeq}`;
        const counts = await rowsOfQuery(
          database,
          `SELECT type, count(*), count(data) FROM events WHERE ${inPart}${ofTypes} GROUP BY type`,
        );
        const files: ExportedFile[] = [];
        for (const table of tables) {
          const exported = chosenColumns(table.columns, chosen);
          const [, , readable = 0] = counts.find(([type]) => type === table.type) ?? [];
          if (Number(readable) === 0 || exported.length === 0) continue;
          const name = partName(table.type, part, format);
          const select = selectOf(table, chosen, inPart);
          const written = await copyToNewFile(
            warehouse,
            operations,
            join(directory, name),
            format === 'csv'
              ? csvSelectAndOptions(exported, select, bom)
              : { select, options: `${PARQUET_COPY_OPTIONS}, ROW_GROUP_SIZE ${ROW_GROUP}` },
          );
          files.push({ name, ...written });
        }
        syncToDisk(directory, operations);
        const sum = (column: 1 | 2) => counts.reduce((so, row) => so + Number(row[column]), 0);
        const [end] = await rowsOfQuery(database, `SELECT position, id FROM events WHERE seq = ${lastSeq ?? 0}`);
        return {
          upTo: end ? String(end[0]) : range.upTo,
          id: end && String(end[1]),
          events: sum(1),
          unreadable: sum(1) - sum(2),
          files,
        };
      },
      close: () => undefined,
    };
  };
};
