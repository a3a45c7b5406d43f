import { closeSync, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { removeAndCreateFile } from '../../lib/files.ts';
import { CliError } from './cli-error.ts';

/** @throws CliError where there is a file already, or no directory for it */
export const checkNewFile = (out: string): void => {
  if (existsSync(out)) throw new CliError(`--out names ${out}, which is there already; allowed: a new file`);
  if (!existsSync(dirname(out))) throw new CliError(`--out names ${out}, whose directory is not there`);
  // Removes a planted link: DuckDB resolves the path when it opens.
  rmSync(unfinishedFileOf(out), { force: true });
};

/** Until it is whole, a file has another name: one for this process, as another may write the same. */
export const unfinishedFileOf = (out: string): string => `${out}.unfinished-${process.pid}`;

/**
 * Writes a new file, which gets its name once it is whole; where that fails, nothing is left.
 *
 * @param content its text piece by piece, or what writes into the empty file of a name
 */
export const writeNewFile = async (
  out: string,
  content: AsyncIterable<string> | ((file: string) => Promise<unknown>),
): Promise<void> => {
  try {
    const fd = removeAndCreateFile(unfinishedFileOf(out));
    if (typeof content !== 'function') await pipeline(content, createWriteStream('', { fd }));
    else {
      closeSync(fd);
      await content(unfinishedFileOf(out));
    }
    renameSync(unfinishedFileOf(out), out);
  } catch (error) {
    rmSync(unfinishedFileOf(out), { force: true });
    throw error;
  }
};
