import { differenceBetween, type RowDifference } from '../history/moment/diff.ts';
import { valueAt } from '../history/moment/members.ts';
import type { MomentAsked } from '../history/moment/moment.ts';
import type { JsonObject } from '../schema/json.ts';
import {
  CAUSE_HEADINGS,
  causeCells,
  cellOf,
  leftOutText,
  madeFrom,
  memberName,
  momentText,
  now,
  withHistoryOf,
  type PersonalOptions,
} from './parts/moments.ts';
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
      const { stdout } = terminal;
      const [from, to] = [await momentOf(fromAsked), await momentOf(toAsked)];
      const found = await differenceBetween(source, readModel, partition, { from, to });
      const rows = found.rows.map((row) => masked(row, shownRow));
      const { leftOut } = found;
      if (json) {
        const answer = { ...madeFrom(readModel), partition, from, to, rows: rows.map(toJson), leftOut };
        stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
        return;
      }
      const { projection, code } = madeFrom(readModel);
      const moments = `from ${momentText(from)} to ${momentText(to)}`;
      const table = rows.length > 0 ? differencesTable(rows, stdout) : 'no difference\n';
      const title = `${name} of ${partition} ${moments}, by ${projection} of version ${code}`;
      stdout.write(`${title}\n\n${table}${leftOutText(leftOut)}`);
    },
  );
