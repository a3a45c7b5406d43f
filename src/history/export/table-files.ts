import { join } from 'node:path';
import type { MemberColumn } from '../warehouse/columns.ts';
import { fileRows, type Encode, type FileRows } from './encoded.ts';
import { syncToDisk } from '../../lib/new-file.ts';
import { openGrowingFile, type ExportedFile, type GrowingFile } from './files.ts';
import { rowOf, textCell, type EventTable } from './tables.ts';
import { partName, type ExportPlace, type ExportWriter } from './writer.ts';

/** Events as lines, apart by type. */
export const encodeTables = (
  tables: readonly EventTable[],
  lineOf: (cells: readonly (string | null)[], columns: readonly MemberColumn[]) => string,
): Encode<readonly FileRows[]> => {
  const byType = new Map(tables.map((table) => [table.type, table]));
  return (events) => {
    const lines = new Map<string, string[]>();
    for (const event of events) {
      const table = byType.get(event.type);
      const row = table && rowOf(table, event);
      if (!row) continue;
      const { columns } = table;
      const line = lineOf(
        columns.map((column, index) => textCell(row[index] ?? null, column)),
        columns,
      );
      const found = lines.get(event.type);
      if (found) found.push(line);
      else lines.set(event.type, [line]);
    }
    return [...lines].map(([type, some]) => fileRows(type, some));
  };
};

/**
 * Writes, for each part, one file of lines for each type of its events.
 *
 * @param headings what a file begins with
 * @param finish makes the files of the part of these; left out: these are its files
 */
export const writeTables = (
  { operations, directory, parts }: ExportPlace,
  tables: readonly EventTable[],
  headings: (columns: readonly MemberColumn[]) => string,
  finish?: (
    files: readonly { readonly table: EventTable; readonly file: ExportedFile }[],
    part: number,
  ) => Promise<readonly ExportedFile[]>,
): ExportWriter<readonly FileRows[]> => {
  const open = new Map<string, { readonly table: EventTable; readonly file: GrowingFile }>();
  let part = parts + 1;
  const fileOf = async (type: string): Promise<GrowingFile> => {
    const found = open.get(type);
    if (found) return found.file;
    const table = tables.find((each) => each.type === type);
    if (!table) throw new Error(`There is no table for events of type ${type}`);
    const file = await openGrowingFile(operations, join(directory, partName(type, part, 'csv')));
    open.set(type, { table, file });
    file.append(headings(table.columns), 0);
    return file;
  };
  const closeAll = (): void => {
    for (const { file } of open.values()) file.close();
    open.clear();
  };
  return {
    async append(some) {
      for (const { target, text, rows } of some) (await fileOf(target)).append(text, rows);
    },
    async endPart() {
      const files = [...open.values()].map(({ table, file }) => ({ table, file: file.written() }));
      if (!finish) for (const { file } of open.values()) file.sync();
      closeAll();
      // The next part may begin while the files of this one are made.
      const ending = finish?.(files, part);
      part++;
      const finished = await ending;
      syncToDisk(directory, operations);
      return finished ?? files.map(({ file }) => file);
    },
    close: closeAll,
  };
};
