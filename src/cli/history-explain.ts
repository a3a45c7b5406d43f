import { momentText } from '../history/moment/moment.ts';
import { explainReadModelRow } from '../history/operations/row-explanation.ts';
import { given } from '../lib/given.ts';
import { askHistory } from './parts/history.ts';
import { CAUSE_HEADINGS, causeCells, writeMomentAnswer, type RowsAtOptions } from './parts/moments.ts';
import type { Terminal } from './parts/terminal.ts';

/** `hiring history explain`: for each member of a row, the event that made it what it is. */
export const explain = async (
  terminal: Terminal,
  readModel: string,
  row: string,
  { at, upTo, output, ...options }: RowsAtOptions,
): Promise<void> => {
  const question = { params: { readModel, row }, parameters: given({ at, upTo }) };
  const answer = await askHistory(terminal, explainReadModelRow, question, options);
  await writeMomentAnswer(terminal, answer, output, {
    title: `${readModel} ${row} at ${momentText(answer)}`,
    headings: ['member', 'value', ...CAUSE_HEADINGS],
    rows: answer.members.map(({ member, value, by }) => [member, value, ...causeCells(by)]),
    none: 'no members',
  });
};
