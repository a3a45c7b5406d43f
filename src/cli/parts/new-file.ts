import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from './cli-error.ts';

/** @throws CliError where there is a file already, or no directory for it */
export const checkNewFile = (out: string): void => {
  if (existsSync(out)) throw new CliError(`--out names ${out}, which is there already; allowed: a new file`);
  if (!existsSync(dirname(out))) throw new CliError(`--out names ${out}, whose directory is not there`);
};

/** Until it is whole, a file has another name. */
export const unfinished = (out: string): string => `${out}.unfinished-${process.pid}`;

/** Writes a new file, which gets its name once it is whole; where that fails, nothing is left. */
export const writeNewFile = async (out: string, write: (file: string) => Promise<void>): Promise<void> => {
  try {
    await write(unfinished(out));
    renameSync(unfinished(out), out);
  } catch (error) {
    rmSync(unfinished(out), { force: true });
    throw error;
  }
};
