import { leavesOf } from '../history/moment/members.ts';
import { momentText } from '../history/moment/moment.ts';
import { getReadModelAt } from '../history/operations/read-model-at.ts';
import { memberName } from '../history/operations/shapes.ts';
import type { JsonObject } from '../schema/json.ts';
import { given } from '../lib/given.ts';
import { askHistory } from './parts/history.ts';
import { cellOf, writeMomentAnswer, type AskedAt } from './parts/moments.ts';
import { tableLines, type Screen } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';

/** The table of some rows: a column for each member of any of them. */
export const rowsTable = (rows: readonly JsonObject[], screen: Screen): readonly string[] => {
  const shown = rows.map((row) => new Map(leavesOf(row).map(([path, value]) => [memberName(path), value])));
  const headings = [...new Set(shown.flatMap((row) => [...row.keys()]))];
  return tableLines(
    { headings, rows: shown.map((row) => headings.map((name) => cellOf(row.get(name)))), rightAligned: [] },
    screen,
  );
};

const besideLines = (beside: JsonObject): readonly string[] =>
  leavesOf(beside)
    .filter(([path]) => path.length > 0)
    .map(([path, value]) => `${memberName(path)}: ${cellOf(value)}`);

/** `hiring history at`: the rows of a partition as they were answered at a moment. */
export const showRowsAt = async (
  terminal: Terminal,
  readModel: string,
  partition: string,
  { from, at, upTo, json, ...personal }: AskedAt,
): Promise<void> => {
  const question = { params: { readModel, partition }, parameters: given({ at, upTo }) };
  const answer = await askHistory(terminal, getReadModelAt, question, { ...from, ...personal });
  const { rows, beside } = answer;
  writeMomentAnswer(terminal, answer, json, {
    title: `${readModel} of ${partition} at ${momentText(answer)}`,
    lines: () => [
      ...(rows.length > 0 ? rowsTable(rows, terminal.stdout) : ['no rows']),
      '',
      ...besideLines(beside),
    ],
  });
};
