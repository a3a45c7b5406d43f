import { explainRow, type ExplainedMember } from '../history/moment/explain.ts';
import { valueAt } from '../history/moment/members.ts';
import type { MomentAsked } from '../history/moment/moment.ts';
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

export interface ExplainOptions extends PersonalOptions {
  /** Left out: now. */
  readonly at?: MomentAsked;
  readonly json?: true;
}

/** The table of a row's members with their events. */
export const membersTable = (members: readonly ExplainedMember[], screen: Screen): string =>
  tableText(
    {
      headings: ['member', 'value', ...CAUSE_HEADINGS],
      rows: members.map(({ path, value, by }) => [memberName(path), cellOf(value), ...causeCells(by)]),
      rightAligned: [],
    },
    screen,
  );

/** `hiring history explain`: for each member of a row, the event that made it what it is. */
export const explain = (
  terminal: Terminal,
  name: string,
  id: string,
  { at = now, json, ...personal }: ExplainOptions,
): Promise<void> =>
  withHistoryOf(
    terminal,
    { command: 'explain', readModel: name, of: id },
    personal,
    async ({ source, readModel, shownRow, momentOf }) => {
      const moment = await momentOf(at);
      const { partition, leftOut, ...found } = await explainRow(source, readModel, id, moment);
      const row = shownRow(found.row);
      const members = found.members.map((each) => ({ ...each, value: valueAt(row, each.path) ?? null }));
      const shown = () => members.map(({ path, value, by }) => ({ member: memberName(path), value, by }));
      writeMomentAnswer(terminal, readModel, json, {
        asJson: () => ({ partition, id, ...moment, members: shown() }),
        title: `${name} ${id} at ${momentText(moment)}`,
        text: () => membersTable(members, terminal.stdout),
        leftOut,
      });
    },
  );
