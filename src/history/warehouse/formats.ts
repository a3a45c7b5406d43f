import { csvHeadings, csvLine, isNumber, type TableColumn } from './csv.ts';
import type { SqlAnswer } from './answer.ts';

/** Text of an answer, piece by piece. */
export type Pieces = AsyncGenerator<string, void, undefined>;

/** The answer as CSV with a line of headings. Null is an empty cell, an empty text is a quoted one. */
export async function* csvOf({ columns, batches }: SqlAnswer): Pieces {
  yield csvHeadings(columns);
  for await (const batch of batches) yield batch.map((row) => csvLine(row, columns)).join('');
}

/** Numbers that DuckDB has, and JSON has not; what stands in a text stays. */
const NO_NUMBER = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g;
const jsonCell = (cell: string | null | undefined): string =>
  cell?.replace(NO_NUMBER, (found) => (found.startsWith('"') ? found : 'null')) ?? 'null';

/** A row as an object of JSON. Cells are JSON already. */
const objectOf = (columns: readonly TableColumn[]) => {
  const names = columns.map(({ name }) => JSON.stringify(name));
  return (row: readonly (string | null)[]): string =>
    `{${names.map((name, index) => `${name}:${jsonCell(row[index])}`).join()}}`;
};

/** The answer as lines of JSON, after which an empty one says that it is whole. */
export async function* linesOf({ columns, batches }: SqlAnswer): Pieces {
  const rowText = objectOf(columns);
  for await (const batch of batches) yield batch.map((row) => `${rowText(row)}\n`).join('');
  yield '\n';
}

/** The answer as one array of JSON, an object a row on a line of its own. */
export async function* jsonOf({ columns, batches }: SqlAnswer): Pieces {
  const rowText = objectOf(columns);
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
export const isNumeric = ({ type }: TableColumn): boolean => isNumber(type);
