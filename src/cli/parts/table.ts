import { escapeInvisible } from '../../lib/escape-invisible.ts';
import type { Output } from './terminal.ts';

export type Screen = Pick<Output, 'isTTY' | 'columns'>;

interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly rightAligned: readonly number[];
}

/** Characters of a cell that may be long. */
const MAX_CELL = 60;

/** A text of so many characters at most. */
export const truncatedText = (text: string, most: number): string => {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
};

/** A text that at a terminal is no longer than a cell should be; programs get all of it. */
export const shortCell = (text: string, { isTTY }: Screen): string =>
  isTTY === true ? truncatedText(text, MAX_CELL) : text;

/** Columns assumed where the terminal tells none. */
const USUAL_COLUMNS = 100;

const wrap = (text: string, width: number): readonly string[] =>
  text.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)|\\S{${width}}`, 'g')) ?? [];

/** A labelled text; at a terminal, lines that would be too long go on below the text. */
export const wrapLabeledText = (label: string, text: string, { isTTY, columns }: Screen): readonly string[] => {
  if (isTTY !== true) return [label + text];
  const width = Math.max(1, (columns || USUAL_COLUMNS) - label.length);
  return wrap(text, width).map((line, at) => (at === 0 ? label : ' '.repeat(label.length)) + line);
};

/** @param widths of the columns, at least; those of the lines are added to them */
const inColumns = (all: Table['rows'], rightAligned: Table['rightAligned'], widths: number[]): string[] => {
  for (const row of all)
    for (const [column, { length }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, length);
  const padded = (cell: string, column: number) =>
    rightAligned.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return all.map((row) => row.map(padded).join('  ').trimEnd());
};

const inBlocks = ({ headings, rows }: Table, screen: Screen): string[] => {
  const width = Math.max(...headings.map(({ length }) => length)) + 2;
  const blocks = rows.map((row) =>
    row.flatMap((cell, column) => wrapLabeledText((headings[column] ?? '').padEnd(width), cell, screen)),
  );
  return blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block]));
};

/** The lines of a table, with each cell as it is printed. At a terminal that is too narrow, each row is a block. */
export const tableLines = ({ headings, rows, rightAligned }: Table, screen: Screen): readonly string[] => {
  const table = {
    headings: headings.map(escapeInvisible),
    rows: rows.map((row) => row.map(escapeInvisible)),
    rightAligned,
  };
  const lines = inColumns([table.headings, ...table.rows], rightAligned, []);
  const isTooWide = lines.some(({ length }) => length > (screen.columns || USUAL_COLUMNS));
  return screen.isTTY === true && isTooWide ? inBlocks(table, screen) : lines;
};

/**
 * The lines of a long table for programs, as its rows come. A column is as wide as its widest cell so far: later cells
 * may make it wider.
 */
export async function* streamTableLines(
  { headings, rightAligned }: Omit<Table, 'rows'>,
  batches: AsyncIterable<Table['rows']>,
): AsyncGenerator<readonly string[], void, undefined> {
  const widths: number[] = [];
  let before = [headings.map(escapeInvisible)];
  for await (const rows of batches) {
    yield inColumns([...before, ...rows.map((row) => row.map(escapeInvisible))], rightAligned, widths);
    before = [];
  }
  if (before.length > 0) yield inColumns(before, rightAligned, widths);
}
