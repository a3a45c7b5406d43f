import { join } from 'node:path';
import type { FileRows } from './encoded.ts';
import { syncToDisk, type FileOperations } from '../../lib/new-file.ts';
import { openGrowingFile, type ExportedFile } from './files.ts';

/** What is written of events, part by part. */
export interface ExportWriter<Content> {
  append(content: Content): Promise<void>;
  /** Resolves to the files of the part, or that grew with it, once they are on the disk. */
  endPart(): Promise<readonly ExportedFile[]>;
  /** Frees what it holds; what is not of an ended part does not count. */
  close(): void;
}

/** Where a writer goes on. */
export interface ExportPlace {
  readonly operations: FileOperations;
  readonly directory: string;
  /** Parts that are there. */
  readonly parts: number;
  /** Files that are there. */
  readonly files: ReadonlyMap<string, ExportedFile>;
}

/** The name of a file of one part. */
export const partName = (name: string, part: number, ending: string): string =>
  `${name}-${String(part).padStart(5, '0')}.${ending}`;

/** Writes into one file, which grows with each part. @param headings what a new file begins with */
export const growing = async (
  { operations, directory, files }: ExportPlace,
  name: string,
  headings = '',
): Promise<ExportWriter<readonly FileRows[]>> => {
  const before = files.get(name);
  const file = await openGrowingFile(operations, join(directory, name), before);
  if (!before) file.append(headings, 0);
  return {
    append(some) {
      for (const { text, rows } of some) file.append(text, rows);
      return Promise.resolve();
    },
    endPart() {
      file.sync();
      syncToDisk(directory, operations);
      return Promise.resolve([file.written()]);
    },
    close: () => file.close(),
  };
};
