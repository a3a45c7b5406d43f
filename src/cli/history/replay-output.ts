import { csvPieces, ndjsonPieces, writeParquet } from '../../history/replay/formats.ts';
import type { LoadedReplay } from '../../history/replay/load.ts';
import type { RowTexts } from '../../history/replay/rows.ts';
import { tableOf } from '../../history/replay/table.ts';
import type { RowsDestination } from '../parts/destination.ts';
import { writeNewFile } from '../parts/new-file.ts';
import type { Terminal } from '../parts/terminal.ts';
import { printPieces } from '../parts/print.ts';

export const replayOutputs = ['ndjson', 'csv', 'parquet'] as const;
export type ReplayOutput = (typeof replayOutputs)[number];

/** Writes rows as they come, no faster than they are taken. @throws DomainError for rows that do not fit */
export const writeReplay = async (
  { stdout }: Pick<Terminal, 'stdout'>,
  { file, columns }: LoadedReplay,
  texts: RowTexts,
  { output, out }: RowsDestination<ReplayOutput>,
): Promise<void> => {
  const table = () => tableOf(file, texts, columns);
  const pieces = async () => (output === 'csv' ? csvPieces(await table()) : ndjsonPieces(texts));
  if (out === undefined) await printPieces(stdout, await pieces(), output === 'csv');
  else
    await writeNewFile(
      out,
      output === 'parquet' ? async (file) => writeParquet(file, await table()) : await pieces(),
    );
};
