import * as fs from 'node:fs';
import { dirname } from 'node:path';

/**
 * Whole new files, which only their user can read, whatever the umask. A link that a stranger has planted under a name is
 * replaced or refused, and never followed.
 */

/** What files are written with; tests have operations that fail. */
export type FileOperations = Pick<
  typeof fs,
  'openSync' | 'writeSync' | 'fsyncSync' | 'closeSync' | 'renameSync' | 'rmSync' | 'ftruncateSync'
>;

/** Readable by its user alone. */
export const PRIVATE = 0o600;

/** What a file is called until it is whole. */
export const unfinishedName = (file: string): string => `${file}.unfinished`;

/** Creates a file with mode 0600, in place of any file or link of that name. Returns its descriptor. */
export const openNew = (file: string, { openSync, rmSync }: FileOperations = fs): number => {
  rmSync(file, { force: true });
  // The flag x opens no link.
  const descriptor = openSync(file, 'wx', PRIVATE);
  fs.fchmodSync(descriptor, PRIVATE);
  return descriptor;
};

/** Makes an empty file, for a library to write. */
export const makeNew = (file: string, operations: FileOperations = fs): void =>
  operations.closeSync(openNew(file, operations));

/** Writes all bytes, whatever one write takes. */
export const writeAll = (descriptor: number, bytes: Buffer, { writeSync }: FileOperations = fs): void => {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
};

/** Returns once a file or directory is on the disk. */
export const syncToDisk = (path: string, { openSync, fsyncSync, closeSync }: FileOperations = fs): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Gives a whole file its name. */
export const nameWhole = (file: string, operations: FileOperations = fs): void => {
  operations.renameSync(unfinishedName(file), file);
  syncToDisk(dirname(file), operations);
};

/** Replaces a file: all of the text is there afterwards, or what was there before. */
export const writeWhole = (file: string, text: string, operations: FileOperations = fs): void => {
  const descriptor = openNew(unfinishedName(file), operations);
  try {
    writeAll(descriptor, Buffer.from(text), operations);
    operations.fsyncSync(descriptor);
  } finally {
    operations.closeSync(descriptor);
  }
  nameWhole(file, operations);
};
