/** A column, with DuckDB's name of its type. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/** Spreadsheets run a cell that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/;

/** Whether a column of a type, by DuckDB's name of it, holds numbers. */
export const isNumber = (type: string): boolean => NUMERIC.test(type);

/** A cell of CSV (RFC 4180) for programs that read it back. Null is an empty cell, an empty text a quoted one. */
export const plainCell = (cell: string | null): string => {
  if (cell === null) return '';
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
};

/** A cell of CSV for people; a quote before a text that would run as a formula, so that it is shown. */
export const csvCell = (cell: string | null, type: string): string => {
  const isFormula = cell !== null && FORMULA.test(cell) && !isNumber(type);
  return plainCell(isFormula ? `'${cell}` : cell);
};

/** A line of CSV for people. */
export const csvLine = (cells: readonly (string | null)[], columns: readonly TableColumn[]): string =>
  `${cells.map((cell, index) => csvCell(cell, columns[index]?.type ?? '')).join(',')}\r\n`;

/** The first line of CSV. */
export const csvHeadings = (columns: readonly TableColumn[]): string =>
  `${columns.map(({ name }) => csvCell(name, 'VARCHAR')).join(',')}\r\n`;
