import type { Static } from '../schema/typebox.ts';
import { momentText } from '../history/moment/moment.ts';
import { explainReadModelRow } from '../history/operations/row-explanation.ts';
import { given } from '../lib/given.ts';
import { askHistory } from './parts/history.ts';
import { CAUSE_HEADINGS, causeCells, cellOf, writeMomentAnswer, type AskedAt } from './parts/moments.ts';
import { tableLines, type Screen } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';

type Members = Static<typeof explainReadModelRow.answer>['members'];

/** The table of a row's members with their events. */
export const membersTable = (members: Members, screen: Screen): readonly string[] =>
  tableLines(
    {
      headings: ['member', 'value', ...CAUSE_HEADINGS],
      rows: members.map(({ member, value, by }) => [member, cellOf(value), ...causeCells(by)]),
      rightAligned: [],
    },
    screen,
  );

/** `hiring history explain`: for each member of a row, the event that made it what it is. */
export const explain = async (
  terminal: Terminal,
  readModel: string,
  row: string,
  { from, at, upTo, json, ...personal }: AskedAt,
): Promise<void> => {
  const question = { params: { readModel, row }, parameters: given({ at, upTo }) };
  const answer = await askHistory(terminal, explainReadModelRow, question, { ...from, ...personal });
  writeMomentAnswer(terminal, answer, json, {
    title: `${readModel} ${row} at ${momentText(answer)}`,
    lines: () => membersTable(answer.members, terminal.stdout),
  });
};
