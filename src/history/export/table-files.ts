import { join } from 'node:path';
import type { MemberColumn } from '../tables/columns.ts';
import { fileRows, type Encode, type FileRows } from './encoded.ts';
import { openGrowingFile, type ExportedFile, type GrowingFile } from './files.ts';
import { rowOf, textCell, type EventTable } from './tables.ts';
import { partName, type ExportPlace, type ExportWriter } from './writer.ts';

export interface TableFile {
  readonly table: EventTable;
  readonly file: ExportedFile;
}

export type LineOf = (cells: readonly (string | null)[], columns: readonly MemberColumn[]) => string;

/** Events as lines, apart by type. */
export const encodeTables = (tables: readonly EventTable[], lineOf: LineOf): Encode<readonly FileRows[]> => {
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

/** The files of lines that a part is written into first. */
export interface PartFiles {
  readonly areKept: boolean;
  readonly headings: (columns: readonly MemberColumn[]) => string;
}

/**
 * Writes, for each part, one file of lines for each type of its events.
 *
 * @param finish makes the files of the part of these
 */
export const writeTables = (
  { operations, directory, parts }: ExportPlace,
  tables: readonly EventTable[],
  { areKept, headings }: PartFiles,
  finish: (files: readonly TableFile[], part: number) => Promise<readonly ExportedFile[]>,
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
      if (areKept) for (const { file } of open.values()) file.sync();
      closeAll();
      return finish(files, part++);
    },
    close: closeAll,
  };
};
