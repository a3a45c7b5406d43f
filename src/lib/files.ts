import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { UnusableFileError } from '../errors/unusable-file.ts';
import { hasCode } from './error.ts';
import { fileAccessFor, applyFileAccess, PRIVATE_ACCESS, type FileAccess } from './file-access.ts';

/**
 * Whole new files, whatever the umask: only their user can read them, or in a data directory those who run the service.
 * What a stranger has planted under a name, a link or a pipe, is replaced or refused, and never followed or waited for.
 */

/** What files are written with; tests have operations that fail. */
export type FileOperations = Pick<
  typeof fs,
  'openSync' | 'writeSync' | 'fsyncSync' | 'closeSync' | 'renameSync' | 'rmSync' | 'ftruncateSync'
>;

/** What a file is called until it is whole. */
export const unfinishedName = (file: string): string => `${file}.unfinished`;

/** Creates a file where nothing is, not even a link. Returns its descriptor. @throws Error with the code EEXIST */
export const openNewFile = (
  file: string,
  { openSync, closeSync }: FileOperations = fs,
  access: FileAccess = fileAccessFor(file),
): number => {
  const descriptor = openSync(file, 'wx', PRIVATE_ACCESS.mode);
  try {
    applyFileAccess(descriptor, access);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
};

/** Creates a file in place of any file or link of that name. Returns its descriptor. */
export const removeAndCreateFile = (file: string, operations: FileOperations = fs, access?: FileAccess): number => {
  operations.rmSync(file, { force: true });
  return openNewFile(file, operations, access);
};

/** Makes an empty file, for a library to write. */
export const replaceWithEmptyFile = (file: string, operations: FileOperations = fs): void =>
  operations.closeSync(removeAndCreateFile(file, operations));

const { O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * Opens a file in a directory that others may write. Returns its descriptor.
 *
 * @param flags of the operating system
 * @throws UnusableFileError for a link, and what else is no file
 */
export const openRegularFile = (file: string, flags: number, { openSync, closeSync }: FileOperations = fs): number => {
  const refused = (what: string, cause?: unknown) =>
    new UnusableFileError(`${file} is ${what}; allowed: a file, in a directory that no other user can write`, {
      cause,
    });
  let descriptor: number;
  try {
    // Without waiting: a pipe that nobody writes into would never open.
    descriptor = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ELOOP')) throw refused('a link', error);
    // Of a pipe that nobody reads from, and of a directory.
    if (hasCode(error, 'ENXIO', 'EISDIR')) throw refused('no file', error);
    throw error;
  }
  if (fs.fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw refused('no file');
};

/** The text of a file in a directory that others may write. @throws as `openRegularFile` */
export const readRegularFile = (file: string): string => {
  const descriptor = openRegularFile(file, fs.constants.O_RDONLY);
  try {
    return fs.readFileSync(descriptor, 'utf8');
  } finally {
    fs.closeSync(descriptor);
  }
};

/** Writes all bytes, whatever one write takes. */
export const writeAllBytes = (descriptor: number, bytes: Buffer, { writeSync }: FileOperations = fs): void => {
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
export const renameIntoPlace = (file: string, operations: FileOperations = fs): void => {
  operations.renameSync(unfinishedName(file), file);
  syncToDisk(dirname(file), operations);
};

/** Replaces a file: all of the text is there afterwards, or what was there before. */
export const writeFileAtomically = (
  file: string,
  text: string,
  operations: FileOperations = fs,
  access?: FileAccess,
): void => {
  const descriptor = removeAndCreateFile(unfinishedName(file), operations, access);
  try {
    writeAllBytes(descriptor, Buffer.from(text), operations);
    operations.fsyncSync(descriptor);
  } finally {
    operations.closeSync(descriptor);
  }
  renameIntoPlace(file, operations);
};
