import { differenceBetween, type RowDifference } from '../history/moment/diff.ts';
import { valueAt } from '../history/moment/members.ts';
import type { MomentAsked } from '../history/moment/moment.ts';
import type { JsonObject } from '../schema/json.ts';
import { momentText, now } from './parts/history.ts';
import {
  CAUSE_HEADINGS,
  causeCells,
  cellOf,
  memberName,
  withHistoryOf,
  writeMomentAnswer,
} from './parts/moments.ts';
import type { PersonalOptions } from './parts/personal-data.ts';
import { tableText, type Screen } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';

export interface DiffOptions extends PersonalOptions {
  readonly from: MomentAsked;
  /** Left out: now. */
  readonly to?: MomentAsked;
  readonly json?: true;
}

type ShowRow = (row: JsonObject) => JsonObject;

/** A difference with its rows as they may be shown. */
const masked = (row: RowDifference, show: ShowRow): RowDifference => {
  switch (row.kind) {
    case 'added':
      return { ...row, after: show(row.after) };
    case 'gone':
      return { ...row, before: show(row.before) };
    case 'changed': {
      const [before, after] = [show(row.before), show(row.after)];
      const members = row.members.map(({ path, by }) => ({
        path,
        from: valueAt(before, path),
        to: valueAt(after, path),
        by,
      }));
      return { ...row, before, after, members };
    }
  }
};

const linesOf = (row: RowDifference): readonly (readonly string[])[] => {
  switch (row.kind) {
    case 'added':
    case 'gone':
      return [[row.kind, row.id, '', '', '', ...causeCells(row.by)]];
    case 'changed':
      return row.members.map(({ path, from, to, by }) => [
        row.kind,
        row.id,
        memberName(path),
        cellOf(from),
        cellOf(to),
        ...causeCells(by),
      ]);
  }
};

/** The table of differences, a line for each row that came or went and for each changed member. */
export const differencesTable = (rows: readonly RowDifference[], screen: Screen): string =>
  tableText(
    {
      headings: ['', 'row', 'member', 'from', 'to', ...CAUSE_HEADINGS],
      rows: rows.flatMap(linesOf),
      rightAligned: [],
    },
    screen,
  );

const toJson = (row: RowDifference): object =>
  row.kind === 'changed'
    ? {
        kind: row.kind,
        id: row.id,
        members: row.members.map(({ path, from = null, to = null, by }) => ({
          member: memberName(path),
          from,
          to,
          by,
        })),
      }
    : row;

/** `hiring history diff`: how a partition differs between two moments, and by which events. */
export const showDifference = (
  terminal: Terminal,
  name: string,
  partition: string,
  { from: fromAsked, to: toAsked = now, json, ...personal }: DiffOptions,
): Promise<void> =>
  withHistoryOf(
    terminal,
    { command: 'diff', readModel: name, of: partition },
    personal,
    async ({ source, readModel, shownRow, momentOf }) => {
      const [from, to] = [await momentOf(fromAsked), await momentOf(toAsked)];
      const found = await differenceBetween(source, readModel, partition, { from, to });
      const rows = found.rows.map((row) => masked(row, shownRow));
      writeMomentAnswer(terminal, readModel, json, {
        asJson: () => ({ partition, from, to, rows: rows.map(toJson) }),
        title: `${name} of ${partition} from ${momentText(from)} to ${momentText(to)}`,
        text: () => (rows.length > 0 ? differencesTable(rows, terminal.stdout) : 'no difference\n'),
        leftOut: found.leftOut,
      });
    },
  );
