import { join } from 'node:path';
import { plainCell } from '../warehouse/csv.ts';
import { parquetOfCsv } from '../warehouse/parquet-of-csv.ts';
import type { Encode, FileRows } from './encoded.ts';
import { makeNew, syncToDisk } from '../../lib/new-file.ts';
import { sumOfFile, type ExportedFile } from './files.ts';
import { encodeTables, writeTables } from './table-files.ts';
import type { EventTable } from './tables.ts';
import { partName, type ExportPlace, type ExportWriter } from './writer.ts';

/** Events as lines of CSV, which DuckDB makes Parquet of. */
export const encodeForParquet = (tables: readonly EventTable[]): Encode<readonly FileRows[]> =>
  encodeTables(tables, (cells) => `${cells.map(plainCell).join(',')}\n`);

/** Writes Parquet: for each part, one file for each type of its events. */
export const writeParquet = (
  place: ExportPlace,
  tables: readonly EventTable[],
): ExportWriter<readonly FileRows[]> => {
  const { operations, directory } = place;
  const noHeadings = () => '';
  return writeTables(place, tables, noHeadings, async (files, part) => {
    const made = files.map(({ table: { type, columns }, file }) => {
      const name = partName(type, part, 'parquet');
      return {
        name,
        rows: file.rows,
        columns,
        csv: join(directory, file.name),
        parquet: join(directory, name),
      };
    });
    for (const { parquet } of made) makeNew(parquet, operations);
    await parquetOfCsv(made, join(directory, partName('part', part, 'spill')));
    const written: ExportedFile[] = [];
    for (const { name, rows, csv, parquet } of made) {
      operations.rmSync(csv);
      syncToDisk(parquet, operations);
      const { bytes, hash } = await sumOfFile(parquet);
      written.push({ name, rows, bytes, sha256: hash.digest('hex') });
    }
    return written;
  });
};
