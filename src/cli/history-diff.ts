import { momentText } from '../history/moment/moment.ts';
import { getReadModelDifference, type DifferenceShown } from '../history/operations/read-model-difference.ts';
import { given } from '../lib/given.ts';
import type { From } from './parts/from.ts';
import { CliError } from './parts/cli-error.ts';
import { askHistory } from './parts/history.ts';
import {
  CAUSE_HEADINGS,
  causeCells,
  writeMomentAnswer,
  type AnswerOutput,
  type AnswerRows,
} from './parts/moments.ts';
import type { PersonalOptions } from './parts/personal-data.ts';
import type { Terminal } from './parts/terminal.ts';

export interface DiffOptions extends PersonalOptions {
  readonly from: From;
  /** Left out: now. */
  readonly to?: string;
  readonly upTo?: string;
  readonly output: AnswerOutput;
}

/** A line for a row that came or went, and for each changed member. */
const linesOf = (row: DifferenceShown): AnswerRows['rows'] => {
  switch (row.kind) {
    case 'added':
    case 'gone':
      return [[row.kind, row.id, undefined, undefined, undefined, ...causeCells(row.by)]];
    case 'changed':
      return row.members.map(({ member, from, to, by }) => [
        row.kind,
        row.id,
        member,
        from,
        to,
        ...causeCells(by),
      ]);
  }
};

/** `hiring history diff`: how a partition differs between two moments, and by which events. */
export const showDifference = async (
  terminal: Terminal,
  readModel: string,
  partition: string,
  options: DiffOptions,
): Promise<void> => {
  const { to, upTo, output } = options;
  const from = options.from.moment;
  if (from === undefined) throw new CliError('--from must name the earlier moment, beside the service');
  const question = { params: { readModel, partition }, parameters: { from, ...given({ to, upTo }) } };
  const answer = await askHistory(terminal, getReadModelDifference, question, options);
  await writeMomentAnswer(terminal, answer, output, {
    title: `${readModel} of ${partition} from ${momentText(answer.from)} to ${momentText(answer.to)}`,
    headings: ['change', 'row', 'member', 'from', 'to', ...CAUSE_HEADINGS],
    rows: answer.rows.flatMap(linesOf),
    none: 'no difference',
  });
};
