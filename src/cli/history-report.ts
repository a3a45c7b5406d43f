import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { MOMENT, momentText, UP_TO } from '../history/moment/moment.ts';
import { personalDataActOf } from '../history/operations/personal-data-act.ts';
import { makeReport } from '../history/operations/report.ts';
import { withWarehouse } from '../history/warehouse/session.ts';
import { given } from '../lib/given.ts';
import { from, orService } from './parts/from.ts';
import { checkNewFile, writeNewFile } from './parts/new-file.ts';
import { withPersonalOptions } from './parts/personal-data.ts';
import type { Terminal } from './parts/terminal.ts';
import { logPosition, moment, timeZone } from './parts/values.ts';
import { print, printData } from './parts/print.ts';
import { keepCopy } from './parts/sql-copy.ts';
import { onWarehouse, preparing, type OpenedWarehouse, type WarehouseOptions } from './parts/warehouse.ts';

export interface ReportOptions extends WarehouseOptions {
  /** Left out: up to now. */
  readonly to?: string;
  readonly upTo?: string;
  /** A new file; left out: standard output. */
  readonly out?: string;
  /** Of postings. */
  readonly profession?: string;
  readonly state?: string;
}

/** `hiring history report`: the event log in pictures, as one page of HTML. */
export const report = async (terminal: Terminal, options: ReportOptions): Promise<void> => {
  const { out, personalData, to, upTo, profession, state, timeZone: zone, keep } = options;
  if (out !== undefined) checkNewFile(out);
  const parameters = given({ from: options.from?.moment, to, upTo, profession, state });
  const recorded = (because: string) => personalDataActOf(makeReport, { params: {}, parameters }, because);
  const make = async (opened: OpenedWarehouse): Promise<void> => {
    const { directory, ending } = opened;
    const { prepare, giveBack } = preparing(opened, ending);
    // Only a report needs what draws it.
    const { reportFrom } = await import('../history/report/report.ts');
    const request = { ...parameters, timeZone: zone, withPersonalData: personalData === true };
    const { made, page } = await withWarehouse(
      { directory, timeZone: zone },
      prepare,
      (database, position) => {
        if (personalData && keep) keepCopy(directory);
        giveBack();
        return reportFrom(database, position, request, ending);
      },
    ).finally(giveBack);
    if (out === undefined) printData(terminal.stdout, page);
    else await writeNewFile(out, Readable.from([page]));
    const shown = personalData ? 'with personal data' : 'personal data left out';
    print(terminal.stderr, `hiring: at ${momentText(made.to)}, by version ${made.code}, ${shown}`);
  };
  await onWarehouse(terminal, options, recorded, make, 1);
};

/** Adds `hiring history report` with its options, as its help shows them. */
export const addReport = (history: Command, terminal: Terminal): void => {
  const command = history
    .command('report')
    .description(
      'show in pictures what happened between saves and hires: one page of HTML that needs nothing else',
    )
    .option('--out <file>', 'a new file; by default standard output')
    .option('--from <moment>', orService('count what happened after it, by default all'), from)
    .option('--to <moment>', `${MOMENT}; by default now`, moment)
    .option('--up-to <position>', UP_TO, logPosition)
    .option('--time-zone <zone>', 'of days and weeks, like America/Denver; by default UTC', timeZone)
    .option('--profession <id>', 'only postings of this profession, like hygienist')
    .option('--state <code>', 'only postings in this state, like TX')
    .option('--copy <directory>', "where the warehouse is; by default in the user's cache directory")
    .option('--keep', 'do not delete the warehouse with personal data afterwards');
  withPersonalOptions(command).action((options: ReportOptions) => report(terminal, options));
};
