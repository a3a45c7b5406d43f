import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import {
  renameIntoPlace,
  replaceFile,
  unfinishedName,
  writeAll,
  type FileOperations,
} from '../../lib/files.ts';
import { literal } from '../warehouse/duckdb.ts';
import { chosenOf, csvOf, refuseUnknown } from './columns.ts';
import type { CaseKind, ExportForm } from './formats.ts';
import { columnsOf, runsIn, showLog, statementIn, wholePart } from './statements.ts';
import { copyToNewFile, type ExportWarehouse } from './tables.ts';
import type { BeginWriting } from './writer.ts';

const CASES_FILE = 'cases.csv';

/** Appends a file to another one, without its first line where that is not the first. */
const append = async (
  to: number,
  file: string,
  isFirst: boolean,
  operations: FileOperations,
): Promise<void> => {
  let isHeading = !isFirst;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    const from = isHeading ? chunk.indexOf('\n') + 1 : 0;
    isHeading = false;
    writeAll(to, chunk.subarray(from), operations);
  }
};

/**
 * Writes what happened to each case as CSV, with what is known of the case at the end: one file, made as a whole.
 *
 * @throws DomainError for a column that there is not
 */
export const casesWriting =
  (
    warehouse: ExportWarehouse,
    kind: CaseKind,
    { types, columns: chosen, bom = false }: ExportForm,
  ): BeginWriting =>
  ({ operations, directory }) => ({
    async write(range) {
      const { database } = warehouse;
      await showLog(warehouse, range, undefined);
      const all = statementIn(`cases_${kind}`);
      const columns = (await columnsOf(database, all)).filter(({ name }) => name !== 'seq');
      refuseUnknown([{ columns }], chosen);
      const file = join(directory, CASES_FILE);
      const part = unfinishedName(`${file}.part`);
      const ofTypes = types ? ` AND split_part(activity, ' ', 1) IN (${types.map(literal).join(', ')})` : '';
      const descriptor = replaceFile(unfinishedName(file), operations);
      let rows = 0;
      try {
        for (const [number, run] of (await runsIn(database, 'seq', 'events')).entries()) {
          const select = `FROM (\n${all}\n) WHERE ${run}${ofTypes} ORDER BY seq, case_id`;
          const copy = csvOf(chosenOf(columns, chosen), select, bom);
          rows += (await copyToNewFile(warehouse, operations, part, copy)).rows;
          await append(descriptor, part, number === 0, operations);
        }
        operations.fsyncSync(descriptor);
      } finally {
        operations.closeSync(descriptor);
      }
      operations.rmSync(part, { force: true });
      renameIntoPlace(file, operations);
      return wholePart(database, range, file, rows);
    },
    close: () => undefined,
  });
