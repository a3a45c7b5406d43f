import type { FoundEvent } from '../find/event.ts';
import { syncPath, type ExportedFile, type FileOperations, type TextFile } from './files.ts';

/** What is written of events, part by part. */
export interface ExportWriter {
  append(events: readonly FoundEvent[]): Promise<void>;
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
  file: TextFile,
  write: (events: readonly FoundEvent[]) => void,
): ExportWriter => ({
  append(events) {
    write(events);
    return Promise.resolve();
  },
  endPart() {
    const written = file.flush();
    file.sync();
    syncPath(operations, directory);
    return Promise.resolve([written]);
  },
  close: () => file.close(),
});
