import type { SqlResult } from '../../history/warehouse/sql-result.ts';
import {
  resultToCsv,
  readFirstRows,
  isNumericColumn,
  resultToJson,
  type TextPieces,
} from '../../history/warehouse/result-formats.ts';
import type { RunnableStatement } from '../../history/warehouse/runnable-statement.ts';
import type { RowsDestination } from '../parts/destination.ts';
import { writeNewFile } from '../parts/new-file.ts';
import { streamTableLines, shortCell, tableLines } from '../parts/table.ts';
import type { Output, Terminal } from '../parts/terminal.ts';
import { printedLine, printPieces } from '../parts/print.ts';

export const sqlOutputs = ['table', 'csv', 'json', 'parquet'] as const;
export type SqlOutput = (typeof sqlOutputs)[number];

/** Rows that a terminal shows. */
const MAX_ROWS = 1_000;

const cellOf = (cell: string | null): string => cell ?? 'NULL';

async function* textBatches({ batches }: SqlResult) {
  for await (const batch of batches) yield batch.map((row) => row.map(cellOf));
}

async function* tableOf(answer: RunnableStatement, screen: Output): TextPieces {
  const found = await answer.rows('text');
  const headings = found.columns.map(({ name }) => name);
  const rightAligned = found.columns.flatMap((column, index) => (isNumericColumn(column) ? [index] : []));
  if (screen.isTTY !== true) {
    for await (const lines of streamTableLines({ headings, rightAligned }, textBatches(found)))
      yield lines.map(printedLine).join('');
    return;
  }
  const { rows, isAll } = await readFirstRows(found, MAX_ROWS);
  const shown = rows.map((row) => row.map((cell) => shortCell(cellOf(cell), screen)));
  yield tableLines({ headings, rows: shown, rightAligned }, screen).map(printedLine).join('');
  if (!isAll) yield `only the first ${MAX_ROWS} rows; --output csv, json or parquet has all\n`;
}

async function* piecesOf(answer: RunnableStatement, output: Exclude<SqlOutput, 'parquet'>, screen: Output): TextPieces {
  switch (output) {
    case 'table':
      return yield* tableOf(answer, screen);
    case 'csv':
      return yield* resultToCsv(await answer.rows('text'));
    case 'json':
      return yield* resultToJson(await answer.rows('json'));
  }
}

/** Writes an answer as its rows come, no faster than they are taken. */
export const writeSqlAnswer = async (
  { stdout }: Pick<Terminal, 'stdout'>,
  answer: RunnableStatement,
  { output, out }: RowsDestination<SqlOutput>,
): Promise<void> => {
  if (out !== undefined)
    await writeNewFile(out, output === 'parquet' ? () => answer.parquet() : piecesOf(answer, output, stdout));
  else if (output !== 'parquet') await printPieces(stdout, piecesOf(answer, output, stdout), output === 'csv');
};
