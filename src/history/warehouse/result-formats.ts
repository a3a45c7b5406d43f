import type { SqlResult, TableColumn } from './sql-result.ts';

/** Text of an answer, piece by piece. */
export type TextPieces = AsyncGenerator<string, void, undefined>;

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/;

/** Whether a column holds numbers. */
export const isNumericColumn = ({ type }: Pick<TableColumn, 'type'>): boolean => NUMERIC.test(type);

/** Spreadsheets run a cell that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A cell of CSV (RFC 4180); a quote before a text that would run as a formula. Null is empty, an empty text `""`. */
export const csvCell = (cell: string | null, type = 'VARCHAR'): string => {
  if (cell === null) return '';
  const text = FORMULA.test(cell) && !isNumericColumn({ type }) ? `'${cell}` : cell;
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The answer as CSV with a line of headings; nothing without columns. */
export async function* resultToCsv({ columns, batches }: SqlResult): TextPieces {
  const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;
  if (columns.length > 0) yield line(columns.map(({ name }) => csvCell(name)));
  for await (const batch of batches)
    yield batch.map((row) => line(columns.map(({ type }, index) => csvCell(row[index] ?? null, type)))).join('');
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
export async function* resultToJsonLines({ columns, batches }: SqlResult): TextPieces {
  const rowText = objectOf(columns);
  for await (const batch of batches) yield batch.map((row) => `${rowText(row)}\n`).join('');
  yield '\n';
}

/** The answer as one array of JSON, an object a row on a line of its own. */
export async function* resultToJson({ columns, batches }: SqlResult): TextPieces {
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
export const readFirstRows = async (
  { batches }: SqlResult,
  limit: number,
): Promise<{ readonly rows: readonly (readonly (string | null)[])[]; readonly isAll: boolean }> => {
  const rows: (readonly (string | null)[])[] = [];
  for await (const batch of batches) {
    rows.push(...batch.slice(0, limit + 1 - rows.length));
    if (rows.length > limit) return { rows: rows.slice(0, limit), isAll: false };
  }
  return { rows, isAll: true };
};
