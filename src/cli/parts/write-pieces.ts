import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Output } from './terminal.ts';

/** The codes of the errors with which a write to a closed pipe, or to what was one, fails. */
const CLOSED = ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];

const isClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CLOSED.includes(String(error.code));

/** Writes text as it comes, no faster than it is taken. A reader that has seen enough, such as head, ends it. */
export const writePieces = async (output: Output, pieces: AsyncIterable<string>): Promise<void> => {
  try {
    await pipeline(Readable.from(pieces), output, { end: false });
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
};
