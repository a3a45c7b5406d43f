import { rowsAt } from '../history/moment/at.ts';
import { leavesOf } from '../history/moment/members.ts';
import type { MomentAsked } from '../history/moment/moment.ts';
import type { JsonObject } from '../schema/json.ts';
import { momentText, now } from './parts/history.ts';
import { cellOf, memberName, withHistoryOf, writeMomentAnswer } from './parts/moments.ts';
import type { PersonalOptions } from './parts/personal-data.ts';
import { tableText, type Screen } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';

export interface AtOptions extends PersonalOptions {
  /** Left out: now. */
  readonly at?: MomentAsked;
  readonly json?: true;
}

/** The table of some rows: a column for each member of any of them. */
export const rowsTable = (rows: readonly JsonObject[], screen: Screen): string => {
  const shown = rows.map((row) => new Map(leavesOf(row).map(([path, value]) => [memberName(path), value])));
  const headings = [...new Set(shown.flatMap((row) => [...row.keys()]))];
  return tableText(
    { headings, rows: shown.map((row) => headings.map((name) => cellOf(row.get(name)))), rightAligned: [] },
    screen,
  );
};

const besideText = (beside: JsonObject): string =>
  leavesOf(beside)
    .filter(([path]) => path.length > 0)
    .map(([path, value]) => `${memberName(path)}: ${cellOf(value)}\n`)
    .join('');

/** `hiring history at`: the rows of a partition as they were answered at a moment. */
export const showRowsAt = (
  terminal: Terminal,
  name: string,
  partition: string,
  { at = now, json, ...personal }: AtOptions,
): Promise<void> =>
  withHistoryOf(
    terminal,
    { command: 'at', readModel: name, of: partition },
    personal,
    async ({ source, readModel, shown, momentOf }) => {
      const moment = await momentOf(at);
      const { leftOut, ...answered } = await rowsAt(source, readModel, partition, moment);
      const { rows, beside } = shown(answered);
      writeMomentAnswer(terminal, readModel, json, {
        asJson: () => ({ partition, ...moment, rows, ...beside }),
        title: `${name} of ${partition} at ${momentText(moment)}`,
        text: () =>
          `${rows.length > 0 ? rowsTable(rows, terminal.stdout) : 'no rows\n'}\n${besideText(beside)}`,
        leftOut,
      });
    },
  );
