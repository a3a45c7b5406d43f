import { invalid } from '../../errors/domain-error.ts';
import type { MemberColumn } from '../warehouse/member-columns.ts';
import type { AppendedValue } from '../warehouse/duckdb.ts';
import { resultToCsv } from '../warehouse/result-formats.ts';
import { writeRowsAsParquet } from '../warehouse/parquet.ts';
import type { RowTexts } from './rows.ts';
import type { ReplayResultTable } from './table.ts';

/** Characters that are written at once. */
const PIECE = 65_536;

/** Joins lines into pieces that are worth a write. */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

async function* ndjsonLines(texts: RowTexts) {
  for await (const text of texts) yield `${text}\n`;
}

/** Rows as NDJSON: a JSON object a line. */
export const ndjsonPieces = (texts: RowTexts) => inPieces(ndjsonLines(texts));

const cellOf = (value: AppendedValue | undefined, { type }: MemberColumn): string | null => {
  if (value === undefined || value === null) return null;
  return type === 'TIMESTAMP' ? new Date(Number(value)).toISOString() : String(value);
};

async function* textBatches({ columns, rows }: ReplayResultTable) {
  for await (const row of rows) yield [columns.map((column, index) => cellOf(row[index], column))];
}

/** Rows as CSV with a line of headings. */
export const csvPieces = (table: ReplayResultTable) =>
  inPieces(resultToCsv({ columns: table.columns, batches: textBatches(table) }));

/** Writes rows into a new file of Parquet. @throws DomainError without columns, or where DuckDB is not installed */
export const writeTableAsParquet = async (file: string, table: ReplayResultTable): Promise<void> => {
  if (table.columns.length === 0)
    throw invalid('Parquet needs columns, and there is no row that shows them; declare columns in the file');
  await writeRowsAsParquet(file, table);
};
