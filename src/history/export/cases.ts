import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import {
  renameIntoPlace,
  removeAndCreateFile,
  unfinishedName,
  writeAllBytes,
  type FileOperations,
} from '../../lib/files.ts';
import { literal } from '../warehouse/duckdb.ts';
import { describeColumns } from '../warehouse/sql-result.ts';
import { chosenColumns, csvSelectAndOptions, refuseUnknownColumns } from './export-columns.ts';
import type { CaseKind, ExportFormatOptions } from './formats.ts';
import { readRowRangeConditions, createExportViews, readStatementFile, describeWholeFilePart } from './statements.ts';
import { copyToNewFile, type WarehouseExportContext } from './tables.ts';
import type { ExportWriterFactory } from './writer.ts';

const CASES_FILE = 'cases.csv';

/** Appends a file to another one; without its heading, unless it is the first. */
const append = async (to: number, file: string, isFirst: boolean, operations: FileOperations): Promise<void> => {
  let isHeading = !isFirst;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    const from = isHeading ? chunk.indexOf('\n') + 1 : 0;
    isHeading = false;
    writeAllBytes(to, chunk.subarray(from), operations);
  }
};

/**
 * Writes what happened to each case as CSV, with what is known of the case at the end: one file, made as a whole.
 *
 * @throws DomainError for a column that there is not
 */
export const createCasesWriterFactory =
  (
    warehouse: WarehouseExportContext,
    kind: CaseKind,
    { types, columns: chosen, bom = false }: ExportFormatOptions,
  ): ExportWriterFactory =>
  ({ operations, directory }) => ({
    async write(range) {
      const { database } = warehouse;
      await createExportViews(warehouse, range, undefined);
      const all = readStatementFile(`cases_${kind}`);
      const columns = (await describeColumns(database, all)).filter(({ name }) => name !== 'seq');
      refuseUnknownColumns([{ columns }], chosen);
      const file = join(directory, CASES_FILE);
      const part = unfinishedName(`${file}.part`);
      const ofTypes = types ? ` AND split_part(activity, ' ', 1) IN (${types.map(literal).join(', ')})` : '';
      const descriptor = removeAndCreateFile(unfinishedName(file), operations);
      let rows = 0;
      try {
        for (const [number, run] of (await readRowRangeConditions(database, 'seq', 'events')).entries()) {
          const select = `FROM (\n${all}\n) WHERE ${run}${ofTypes} ORDER BY seq, case_id`;
          const copy = csvSelectAndOptions(chosenColumns(columns, chosen), select, bom);
          rows += (await copyToNewFile(warehouse, operations, part, copy)).rows;
          await append(descriptor, part, number === 0, operations);
        }
        operations.fsyncSync(descriptor);
      } finally {
        operations.closeSync(descriptor);
      }
      operations.rmSync(part, { force: true });
      renameIntoPlace(file, operations);
      return describeWholeFilePart(database, range, file, rows);
    },
    close: () => undefined,
  });
