import { constants } from 'node:fs';
import { basename } from 'node:path';
import { Type, type Static } from '../../schema/typebox.ts';
import { invalid } from '../../errors/domain-error.ts';
import { hashFilePrefix } from '../../lib/file-checksum.ts';
import { removeAndCreateFile, openRegularFile, writeAllBytes, type FileOperations } from '../../lib/files.ts';
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

/** Bytes of UTF-8 for one unit of a string, at most. */
const MAX_UTF8 = 3;
/** Made once: memory of its own for each text would be freed late. */
const scratch = Buffer.allocUnsafeSlow(1 << 20);

/** The text in UTF-8, valid until the next call. */
const utf8Of = (text: string): Buffer =>
  text.length * MAX_UTF8 <= scratch.length ? scratch.subarray(0, scratch.write(text)) : Buffer.from(text);

interface GrowingFile {
  append(text: string, rows: number): void;
  /** What the file is now. */
  written(): ExportedFile;
  /** Returns once that is on the disk. */
  sync(): void;
  close(): void;
}

/**
 * Opens a file to append to.
 *
 * @param from its first bytes, which stay; undefined: a new file
 * @throws DomainError where the first bytes are not what they were
 */
export const openGrowingFile = async (
  operations: FileOperations,
  file: string,
  from?: ExportedFile,
): Promise<GrowingFile> => {
  const { fsyncSync, ftruncateSync } = operations;
  let rows = from?.rows ?? 0;
  const { hash, ...before } = await hashFilePrefix(file, from?.bytes ?? 0);
  let bytes = before.bytes;
  if (from && hash.copy().digest('hex') !== from.sha256)
    throw invalid(`${file} is not what the manifest tells; allowed: another directory`);
  const descriptor = from
    ? openRegularFile(file, constants.O_WRONLY | constants.O_APPEND, operations)
    : removeAndCreateFile(file, operations);
  // Cuts off what an unfinished run has written.
  if (from) ftruncateSync(descriptor, from.bytes);
  return {
    append(text, more) {
      const utf8 = utf8Of(text);
      writeAllBytes(descriptor, utf8, operations);
      hash.update(utf8);
      bytes += utf8.length;
      rows += more;
    },
    written: () => ({ name: basename(file), rows, bytes, sha256: hash.copy().digest('hex') }),
    sync: () => fsyncSync(descriptor),
    close: () => operations.closeSync(descriptor),
  };
};
