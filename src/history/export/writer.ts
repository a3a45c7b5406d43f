import type { FileRows } from './encoded.ts';
import { syncPath, type ExportedFile, type FileOperations, type GrowingFile } from './files.ts';

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

/** Writes into one file, which grows with each part. */
export const growing = (
  { operations, directory }: ExportPlace,
  file: GrowingFile,
): ExportWriter<readonly FileRows[]> => ({
  append(some) {
    for (const { text, rows } of some) file.append(text, rows);
    return Promise.resolve();
  },
  endPart() {
    file.sync();
    syncPath(operations, directory);
    return Promise.resolve([file.written()]);
  },
  close: () => file.close(),
});
