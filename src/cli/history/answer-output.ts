import type { PrintableAnswer } from '../../history/operations/operation.ts';
import { csvCell } from '../../history/warehouse/result-formats.ts';
import type { Json } from '../../schema/json.ts';
import { print, printJson, printPieces } from '../parts/print.ts';
import { shortCell, tableLines, type Screen } from '../parts/table.ts';
import type { Terminal } from '../parts/terminal.ts';

/** How answers to questions about the history are written. */

export const answerOutputs = ['table', 'csv', 'json'] as const;
export type AnswerOutput = (typeof answerOutputs)[number];

const textOf = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** A value in a table. */
export const tableCell = (value: Json | undefined, screen: Screen): string =>
  value === undefined || value === null ? '-' : shortCell(textOf(value), screen);

const csvValue = (value: Json | undefined): string =>
  csvCell(
    value === undefined || value === null ? null : textOf(value),
    typeof value === 'number' ? 'DOUBLE' : 'VARCHAR',
  );

/** The lines of CSV, none of rows without columns. */
function* rowsCsv({ table }: PrintableAnswer): Generator<string, void, undefined> {
  if (!table || table.headings.length === 0) return;
  for (const row of [table.headings, ...table.rows]) yield `${row.map(csvValue).join(',')}\r\n`;
}

/** The lines of a table, or what stands in its place. */
export const answerTableLines = ({ table }: PrintableAnswer, screen: Screen): readonly string[] => {
  if (!table) return [];
  const { headings, rightAligned = [], isWhole, none } = table;
  const rows = table.rows.map((row) => row.map((value) => tableCell(value, isWhole ? {} : screen)));
  const columns = rightAligned.map((heading) => headings.indexOf(heading));
  return rows.length > 0 ? tableLines({ headings, rows, rightAligned: columns }, screen) : [none];
};

/** Writes an answer as JSON, as CSV, which has its title on standard error, or as a title, a table and lines. */
export const printAnswer = async (
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
  answer: unknown,
  view: PrintableAnswer,
  output: AnswerOutput,
): Promise<void> => {
  const { title, lines = [], leftOut = [], notes = [], json = answer } = view;
  const titles = title === undefined ? [] : [title];
  switch (output) {
    case 'json':
      printJson(stdout, json, 2);
      break;
    case 'csv':
      await printPieces(stdout, rowsCsv(view), true);
      print(stderr, [...titles, ...leftOut]);
      break;
    case 'table':
      print(stdout, [...titles.flatMap((line) => [line, '']), ...answerTableLines(view, stdout), ...lines, ...leftOut]);
  }
  print(
    stderr,
    notes.map((note) => `hiring: ${note}`),
  );
};
