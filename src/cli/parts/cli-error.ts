import { errorMessageOf } from '../../lib/error.ts';
import { isAllVisible, oneLine } from '../../lib/escape-invisible.ts';

/** An error that the operator can mend, as one line. Nothing was changed, unless the line says so. */
export class CliError extends Error {
  /** 1 for a question about what is not there. */
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * A message in one line; below it, indented, the line of an SQL statement that it is about, with its caret, if it has
 * them. What would not be seen is left out there: DuckDB does not count it either where it sets the caret.
 */
export const errorLines = (message: string): readonly string[] => {
  const [what = '', ...where] = message.split(/\n(?=LINE +\d+: )/);
  const excerpt = where.flatMap((text) => text.split('\n'));
  const seen = (line: string) => Array.from(line).filter(isAllVisible).join('');
  return [`hiring: ${oneLine(what)}`, ...excerpt.map((line) => `  ${seen(line)}`)];
};

/** What failed, in one line. */
export const oneLineReason = (error: unknown): string => oneLine(errorMessageOf(error));
