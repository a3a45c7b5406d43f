import type { SqlAnswer, AnswerColumn } from './answer.ts';

/** Text of an answer, piece by piece. */
export type Pieces = AsyncGenerator<string, void, undefined>;

/** Spreadsheets run a cell that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/;

/** A cell of CSV (RFC 4180); a quote before a text that would run as a formula, so that it is shown. */
export const csvCell = (cell: string | null, type: string): string => {
  if (cell === null) return '';
  const safe = FORMULA.test(cell) && !NUMERIC.test(type) ? `'${cell}` : cell;
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The answer as CSV with a line of headings. Null is an empty cell, an empty text is a quoted one. */
export async function* csvOf({ columns, batches }: SqlAnswer): Pieces {
  const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`;
  yield line(columns.map(({ name }) => csvCell(name, 'VARCHAR')));
  for await (const batch of batches)
    yield batch
      .map((row) => line(row.map((cell, index) => csvCell(cell, columns[index]?.type ?? ''))))
      .join('');
}

/** The answer as one array of JSON, an object a row on a line of its own. Cells are JSON already. */
export async function* jsonOf({ columns, batches }: SqlAnswer): Pieces {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const rowText = (row: readonly (string | null)[]) =>
    `{${names.map((name, index) => `${name}:${row[index] ?? 'null'}`).join()}}`;
  let before = '[\n';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield before + batch.map(rowText).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** The first rows of an answer, for a table; no more are read. */
export const firstRows = async (
  { batches }: SqlAnswer,
  limit: number,
): Promise<{ readonly rows: readonly (readonly (string | null)[])[]; readonly isAll: boolean }> => {
  const rows: (readonly (string | null)[])[] = [];
  for await (const batch of batches) {
    rows.push(...batch.slice(0, limit + 1 - rows.length));
    if (rows.length > limit) return { rows: rows.slice(0, limit), isAll: false };
  }
  return { rows, isAll: true };
};

/** Whether a column's cells are aligned to the right. */
export const isNumeric = ({ type }: AnswerColumn): boolean => NUMERIC.test(type);
