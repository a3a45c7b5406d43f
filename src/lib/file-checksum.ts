import { createHash } from 'node:crypto';
import { closeSync, constants, read } from 'node:fs';
import { promisify } from 'node:util';
import { openRegularFile } from './files.ts';

const readInto = promisify(read);
/** Bytes that are read at a time. */
const CHUNK = 1 << 18;

/** Size and hash of the first bytes of a file. */
export const hashFilePrefix = async (file: string, first = Infinity) => {
  const hash = createHash('sha256');
  let bytes = 0;
  if (first === 0) return { bytes, hash };
  const fd = openRegularFile(file, constants.O_RDONLY);
  try {
    // One for all: a stream would take new ones, whose memory is freed late.
    const chunk = Buffer.allocUnsafeSlow(CHUNK);
    for (;;) {
      const { bytesRead } = await readInto(fd, chunk, 0, Math.min(CHUNK, first - bytes), bytes);
      if (bytesRead === 0) return { bytes, hash };
      hash.update(chunk.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    closeSync(fd);
  }
};

/** Size and SHA-256 of a file, in hexadecimal digits. */
export const sizeAndChecksumOfFile = async (
  file: string,
): Promise<{ readonly bytes: number; readonly sha256: string }> => {
  const { bytes, hash } = await hashFilePrefix(file);
  return { bytes, sha256: hash.digest('hex') };
};
