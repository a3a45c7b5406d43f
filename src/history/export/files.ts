import { createHash } from 'node:crypto';
import type * as fs from 'node:fs';
import { createReadStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Type, type Static } from '../../schema/typebox.ts';
import { invalid } from '../../errors/domain-error.ts';
import { object } from '../../schema/schema.ts';

/** A file of an export, as its manifest names it. */
export const ExportedFile = object({
  name: Type.String(),
  /** Of all of the file: events, or rows of a table. */
  rows: Type.Integer(),
  bytes: Type.Integer(),
  /** Of all of the file, in hexadecimal digits. */
  sha256: Type.String(),
});
export type ExportedFile = Static<typeof ExportedFile>;

export type FileOperations = Pick<
  typeof fs,
  'openSync' | 'writeSync' | 'fsyncSync' | 'closeSync' | 'renameSync' | 'rmSync' | 'ftruncateSync'
>;

/** Readable by its user alone. */
const MODE = 0o600;

/** What a file is called until it is whole. */
export const unfinishedName = (file: string): string => `${file}.unfinished`;

/** Makes an empty file that only its user can read, for a library to write. */
export const makePrivate = ({ openSync, closeSync }: FileOperations, file: string): void =>
  closeSync(openSync(file, 'w', MODE));

/** Writes all bytes, whatever one write takes. */
const writeAll = ({ writeSync }: FileOperations, descriptor: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
};

/** Returns once a file or directory is on the disk. */
export const syncPath = ({ openSync, fsyncSync, closeSync }: FileOperations, path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Gives a whole file its name. */
export const nameWhole = (operations: FileOperations, file: string): void => {
  operations.renameSync(unfinishedName(file), file);
  syncPath(operations, dirname(file));
};

/** Replaces a file: all of the text is there afterwards, or what was there before. */
export const writeWhole = (operations: FileOperations, file: string, text: string): void => {
  const { openSync, fsyncSync, closeSync } = operations;
  const descriptor = openSync(unfinishedName(file), 'w', MODE);
  try {
    writeAll(operations, descriptor, Buffer.from(text));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  nameWhole(operations, file);
};

/** Size and checksum of the first bytes of a file. */
export const sumOfFile = async (file: string, first = Infinity) => {
  const hash = createHash('sha256');
  let bytes = 0;
  const options = first === Infinity ? {} : { end: first - 1 };
  if (first > 0)
    for await (const chunk of createReadStream(file, options) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  return { bytes, hash };
};

/** Bytes of UTF-8 for one unit of a string, at most. */
const MAX_UTF8 = 3;
/** Made once: memory of its own for each text would be freed late. */
const scratch = Buffer.allocUnsafeSlow(1 << 20);

/** The text in UTF-8, until the next one is asked for. */
const utf8Of = (text: string): Buffer =>
  text.length * MAX_UTF8 <= scratch.length ? scratch.subarray(0, scratch.write(text)) : Buffer.from(text);

export interface GrowingFile {
  append(text: string, rows: number): void;
  /** What the file is now. */
  written(): ExportedFile;
  /** Returns once that is on the disk. */
  sync(): void;
  close(): void;
}

/**
 * Opens a file to write on from its first bytes, of which it has a number of rows.
 *
 * @param from undefined: a new file
 * @throws DomainError where the first bytes are not what they were
 */
export const openGrowingFile = async (
  operations: FileOperations,
  file: string,
  from?: ExportedFile,
): Promise<GrowingFile> => {
  const { openSync, fsyncSync, closeSync, ftruncateSync } = operations;
  let rows = from?.rows ?? 0;
  const { hash, ...before } = await sumOfFile(file, from?.bytes ?? 0);
  let bytes = before.bytes;
  if (from && hash.copy().digest('hex') !== from.sha256)
    throw invalid(`${file} is not what the manifest tells; allowed: another directory`);
  const descriptor = openSync(file, from ? 'a' : 'w', MODE);
  // What a run has written that did not come to its end.
  if (from) ftruncateSync(descriptor, from.bytes);
  return {
    append(text, more) {
      const some = utf8Of(text);
      writeAll(operations, descriptor, some);
      hash.update(some);
      bytes += some.length;
      rows += more;
    },
    written: () => ({ name: basename(file), rows, bytes, sha256: hash.copy().digest('hex') }),
    sync: () => fsyncSync(descriptor),
    close: () => closeSync(descriptor),
  };
};
