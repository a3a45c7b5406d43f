import { leavesOf } from '../history/moment/members.ts';
import { momentText } from '../history/moment/moment.ts';
import { getReadModelAt } from '../history/operations/read-model-at.ts';
import { memberName } from '../history/operations/shapes.ts';
import type { JsonObject } from '../schema/json.ts';
import { given } from '../lib/given.ts';
import { askHistory } from './parts/history.ts';
import { cellOf, writeMomentAnswer, type AnswerRows, type RowsAtOptions } from './parts/moments.ts';
import type { Screen } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';

/** Rows with a column for each member of any of them. */
const memberRows = (rows: readonly JsonObject[]): AnswerRows => {
  const shown = rows.map((row) => new Map(leavesOf(row).map(([path, value]) => [memberName(path), value])));
  const headings = [...new Set(shown.flatMap((row) => [...row.keys()]))];
  return { headings, rows: shown.map((row) => headings.map((name) => row.get(name))) };
};

const extraLines = (beside: JsonObject, screen: Screen): readonly string[] =>
  leavesOf(beside)
    .filter(([path]) => path.length > 0)
    .map(([path, value]) => `${memberName(path)}: ${cellOf(value, screen)}`);

/** `hiring history at`: the rows of a partition as they were answered at a moment. */
export const showRowsAt = async (
  terminal: Terminal,
  readModel: string,
  partition: string,
  { at, upTo, output, ...options }: RowsAtOptions,
): Promise<void> => {
  const question = { params: { readModel, partition }, parameters: given({ at, upTo }) };
  const answer = await askHistory(terminal, getReadModelAt, question, options);
  const { rows, beside } = answer;
  await writeMomentAnswer(terminal, answer, output, {
    title: `${readModel} of ${partition} at ${momentText(answer)}`,
    ...memberRows(rows),
    none: 'no rows',
    below: ['', ...extraLines(beside, terminal.stdout)],
  });
};
