import { momentText } from '../history/moment/moment.ts';
import { getReadModelDifference, type DifferenceShown } from '../history/operations/read-model-difference.ts';
import { given } from '../lib/given.ts';
import type { From } from './parts/from.ts';
import { CliError } from './parts/cli-error.ts';
import { askHistory } from './parts/history.ts';
import { CAUSE_HEADINGS, causeCells, cellOf, writeMomentAnswer } from './parts/moments.ts';
import type { PersonalOptions } from './parts/personal-data.ts';
import { tableLines, type Screen } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';

export interface DiffOptions extends PersonalOptions {
  readonly from: From;
  /** Left out: now. */
  readonly to?: string;
  readonly upTo?: string;
  readonly json?: true;
}

const linesOf = (row: DifferenceShown): readonly (readonly string[])[] => {
  switch (row.kind) {
    case 'added':
    case 'gone':
      return [[row.kind, row.id, '', '', '', ...causeCells(row.by)]];
    case 'changed':
      return row.members.map(({ member, from, to, by }) => [
        row.kind,
        row.id,
        member,
        cellOf(from),
        cellOf(to),
        ...causeCells(by),
      ]);
  }
};

/** The table of differences, a line for each row that came or went and for each changed member. */
export const differencesTable = (rows: readonly DifferenceShown[], screen: Screen): readonly string[] =>
  tableLines(
    {
      headings: ['', 'row', 'member', 'from', 'to', ...CAUSE_HEADINGS],
      rows: rows.flatMap(linesOf),
      rightAligned: [],
    },
    screen,
  );

/** `hiring history diff`: how a partition differs between two moments, and by which events. */
export const showDifference = async (
  terminal: Terminal,
  readModel: string,
  partition: string,
  { from: { moment: from, service }, to, upTo, json, ...personal }: DiffOptions,
): Promise<void> => {
  if (from === undefined) throw new CliError('--from must name the earlier moment, beside the service');
  const question = { params: { readModel, partition }, parameters: { from, ...given({ to, upTo }) } };
  const answer = await askHistory(terminal, getReadModelDifference, question, { service, ...personal });
  const { rows } = answer;
  writeMomentAnswer(terminal, answer, json, {
    title: `${readModel} of ${partition} from ${momentText(answer.from)} to ${momentText(answer.to)}`,
    lines: () => (rows.length > 0 ? differencesTable(rows, terminal.stdout) : ['no difference']),
  });
};
