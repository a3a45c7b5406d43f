import type { Position } from '../../event-store/port.ts';
import type { FileOperations } from '../../lib/files.ts';
import type { LogRange } from '../moment/moment.ts';
import type { ExportedFile } from './files.ts';

/** A run of consecutive events whose files are on the disk. */
export interface WrittenPart {
  readonly upTo: Position;
  /** The id of the event there; undefined where the writer has not looked. */
  readonly id: string | undefined;
  /** Of the types asked for. */
  readonly events: number;
  /** Events that this code cannot read, among them. */
  readonly unreadable: number;
  /** Files of the part, or that grew with it. */
  readonly files: readonly ExportedFile[];
}

/** Writes the files of an export, part by part. */
interface ExportWriter {
  /** Writes what stands in a range, or the first `maxEvents` events of it; resolves once it is on the disk. */
  write(range: LogRange, maxEvents: number): Promise<WrittenPart>;
  close(): void;
}

/** Where a writer goes on. */
interface ExportResumePoint {
  readonly operations: FileOperations;
  readonly directory: string;
  /** Parts that are there. */
  readonly parts: number;
  /** Files that are there. */
  readonly files: ReadonlyMap<string, ExportedFile>;
}

export type ExportWriterFactory = (place: ExportResumePoint) => ExportWriter | Promise<ExportWriter>;
