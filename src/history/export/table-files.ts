import { join } from 'node:path';
import type { MemberColumn } from '../tables/columns.ts';
import { openTextFile, type ExportedFile, type TextFile } from './files.ts';
import { rowOf, textCell, type EventTable } from './tables.ts';
import { partName, type ExportPlace, type ExportWriter } from './writer.ts';

/** A file of the rows of one type of events. */
export interface TableFile {
  readonly table: EventTable;
  readonly file: ExportedFile;
}

/** How rows become lines of files. */
export interface TableLines {
  /** Whether the files stay. */
  readonly isKept: boolean;
  readonly headings: (columns: readonly MemberColumn[]) => string;
  readonly line: (cells: readonly (string | null)[], columns: readonly MemberColumn[]) => string;
}

/**
 * Writes, for each part, one file of lines for each type of its events.
 *
 * @param finish makes the files of the part of these
 */
export const writeTables = (
  { operations, directory, parts }: ExportPlace,
  tables: readonly EventTable[],
  { isKept, headings, line }: TableLines,
  finish: (files: readonly TableFile[], part: number) => Promise<readonly ExportedFile[]>,
): ExportWriter => {
  const byType = new Map(tables.map((table) => [table.type, table]));
  const open = new Map<EventTable, TextFile>();
  let part = parts + 1;
  const fileOf = async (table: EventTable): Promise<TextFile> => {
    const found = open.get(table);
    if (found) return found;
    const file = await openTextFile(operations, join(directory, partName(table.type, part, 'csv')));
    open.set(table, file);
    file.append(headings(table.columns), 0);
    return file;
  };
  const closeAll = (): void => {
    for (const file of open.values()) file.close();
    open.clear();
  };
  return {
    async append(events) {
      for (const event of events) {
        const table = byType.get(event.type);
        const row = table && rowOf(table, event);
        if (!row) continue;
        const { columns } = table;
        const cells = columns.map((column, index) => textCell(row[index] ?? null, column));
        (await fileOf(table)).append(line(cells, columns), 1);
      }
    },
    async endPart() {
      const files = [...open].map(([table, file]) => ({ table, file: file.flush() }));
      if (isKept) for (const file of open.values()) file.sync();
      closeAll();
      return finish(files, part++);
    },
    close: closeAll,
  };
};
