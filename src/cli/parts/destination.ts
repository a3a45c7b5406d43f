import { CliError } from './cli-error.ts';
import { checkNewFile } from './new-file.ts';

export interface RowsDestination<Output extends string> {
  readonly output: Output;
  /** A new file, which is written as a whole; undefined: standard output. */
  readonly out?: string | undefined;
}

/** @throws CliError where rows cannot go there; nothing is run then */
export const checkRowsDestination = ({ output, out }: RowsDestination<string>): void => {
  if (output === 'parquet' && out === undefined)
    throw new CliError('--output parquet needs --out with the name of a new file');
  if (out !== undefined) checkNewFile(out);
};
