import { isUtf8 } from 'node:buffer';
import { CheckFailedError } from './check-failed.ts';
import type { Connection } from './connections.ts';

/** SQL for the JSON of a text; NULL where something else is stored. */
export const jsonQuoteSql = (text: string): string => `iif(typeof(${text}) = 'text', json_quote(${text}), NULL)`;

const NEWLINE = 10;

/** The lines of UTF-8, each a string of its own: most are ASCII, which is decoded and parsed faster. */
const linesOf = (bytes: Buffer): string[] => {
  const lines: string[] = [];
  for (let at = 0; at <= bytes.length;) {
    const found = bytes.indexOf(NEWLINE, at);
    const end = found < 0 ? bytes.length : found;
    lines.push(bytes.toString('utf8', at, end));
    at = end + 1;
  }
  return lines;
};

const refuseOther = (bytes: Buffer): void => {
  if (!isUtf8(bytes)) throw new CheckFailedError('a text is no UTF-8');
};

/**
 * Prepares a SELECT of one text: reads that of the first row, if any. As bytes, for the reason of `prepareJsonSelect`.
 */
export const prepareTextSelect = (connection: Connection, column: string, rest: string) => {
  const select = connection.prepare(`SELECT CAST(${column} AS BLOB) ${rest}`).raw();
  return (...values: readonly unknown[]): string | undefined => {
    const row = select.get([...values]) as readonly [Buffer | null] | undefined;
    if (!row) return undefined;
    const [bytes] = row;
    if (!bytes) throw new CheckFailedError('a text is missing');
    refuseOther(bytes);
    return bytes.toString();
  };
};

/**
 * Prepares a SELECT that gives all of its values in one blob: libsql ends the process at a text that is no UTF-8, as
 * damage makes it, and reads one blob as fast as many texts.
 *
 * @param columns SQL for JSON on one line, such as `jsonQuoteSql`
 * @param rest what follows the columns
 * @returns reads the values, row after row. @throws Error of the kind `damaged`
 */
export const prepareJsonSelect = (connection: Connection, columns: readonly string[], rest: string) => {
  const select = connection
    .prepare(
      `SELECT count(*), CAST(group_concat(row, char(${NEWLINE})) AS BLOB)
       FROM (SELECT ${columns.join(` || char(${NEWLINE}) || `)} AS row ${rest})`,
    )
    .raw();
  return (...values: readonly unknown[]): string[] => {
    const [rows, bytes] = select.get([...values]) as readonly [number, Buffer | null];
    if (bytes) refuseOther(bytes);
    const lines = bytes ? linesOf(bytes) : [];
    if (lines.length !== rows * columns.length) throw new CheckFailedError('a value is not what was stored');
    return lines;
  };
};

/** As `prepareJsonSelect`, for columns that are texts: reads them. */
export const prepareTextsSelect = (connection: Connection, columns: readonly string[], rest: string) => {
  const read = prepareJsonSelect(connection, columns.map(jsonQuoteSql), rest);
  return (...values: readonly unknown[]): string[] => read(...values).map((json) => JSON.parse(json) as string);
};
