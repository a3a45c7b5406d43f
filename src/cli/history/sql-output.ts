import type { SqlAnswer } from '../../history/warehouse/answer.ts';
import { csvOf, firstRows, isNumeric, jsonOf, type Pieces } from '../../history/warehouse/formats.ts';
import type { OpenAnswer } from '../../history/warehouse/answer-statement.ts';
import type { RowsDestination } from '../parts/destination.ts';
import { writeNewFile } from '../parts/new-file.ts';
import { linesAsTheyCome, shortCell, tableLines } from '../parts/table.ts';
import type { Output, Terminal } from '../parts/terminal.ts';
import { printed, printPieces } from '../parts/print.ts';

export const sqlOutputs = ['table', 'csv', 'json', 'parquet'] as const;
export type SqlOutput = (typeof sqlOutputs)[number];

/** Rows that a terminal shows. */
const MAX_ROWS = 1_000;

const cellOf = (cell: string | null): string => cell ?? 'NULL';

async function* textBatches({ batches }: SqlAnswer) {
  for await (const batch of batches) yield batch.map((row) => row.map(cellOf));
}

async function* tableOf(answer: OpenAnswer, screen: Output): Pieces {
  const found = await answer.rows('text');
  const headings = found.columns.map(({ name }) => name);
  const rightAligned = found.columns.flatMap((column, index) => (isNumeric(column) ? [index] : []));
  if (screen.isTTY !== true) {
    for await (const lines of linesAsTheyCome({ headings, rightAligned }, textBatches(found)))
      yield lines.map(printed).join('');
    return;
  }
  const { rows, isAll } = await firstRows(found, MAX_ROWS);
  const shown = rows.map((row) => row.map((cell) => shortCell(cellOf(cell), screen)));
  yield tableLines({ headings, rows: shown, rightAligned }, screen).map(printed).join('');
  if (!isAll) yield `only the first ${MAX_ROWS} rows; --output csv, json or parquet has all\n`;
}

async function* piecesOf(answer: OpenAnswer, output: Exclude<SqlOutput, 'parquet'>, screen: Output): Pieces {
  switch (output) {
    case 'table':
      return yield* tableOf(answer, screen);
    case 'csv':
      return yield* csvOf(await answer.rows('text'));
    case 'json':
      return yield* jsonOf(await answer.rows('json'));
  }
}

const toFile = (answer: OpenAnswer, output: SqlOutput, out: string, screen: Output): Promise<void> =>
  writeNewFile(out, output === 'parquet' ? () => answer.parquet() : piecesOf(answer, output, screen));

/** Writes an answer as its rows come, no faster than they are taken. */
export const writeAnswer = async (
  { stdout }: Pick<Terminal, 'stdout'>,
  answer: OpenAnswer,
  { output, out }: RowsDestination<SqlOutput>,
): Promise<void> => {
  if (out !== undefined) await toFile(answer, output, out, stdout);
  else if (output !== 'parquet')
    await printPieces(stdout, piecesOf(answer, output, stdout), output === 'csv');
};
