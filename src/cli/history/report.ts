import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { momentText } from '../../history/moment/moment.ts';
import { personalDataActOf } from '../../history/operations/personal-data-act.ts';
import { makeReport, type ReportParameters } from '../../history/operations/report.ts';
import { withPreparedWarehouse } from '../../history/warehouse/runnable-statement.ts';
import { checkNewFile, writeNewFile } from '../parts/new-file.ts';
import { addPersonalDataOptions } from '../parts/personal-data.ts';
import { addQuestionCommand, parseQuestion } from './question-options.ts';
import type { Terminal } from '../parts/terminal.ts';
import { print, printRawText } from '../parts/print.ts';
import { keepWarehouse } from './warehouse-directory.ts';
import {
  withWarehouse,
  createWarehousePreparer,
  type WarehouseCommandContext,
  type WarehouseCommandOptions,
} from './with-warehouse.ts';

interface ReportOptions extends WarehouseCommandOptions {
  /** A new file; left out: standard output. */
  readonly out?: string;
}

/** `hiring history report`: the event log in pictures, as one page of HTML. */
const report = async (terminal: Terminal, parameters: ReportParameters, options: ReportOptions): Promise<void> => {
  const { out, personalData, keep } = options;
  const { timeZone } = parameters;
  if (out !== undefined) checkNewFile(out);
  const recorded = (because: string) => personalDataActOf(makeReport, { params: {}, parameters }, because);
  const make = async (opened: WarehouseCommandContext): Promise<void> => {
    const { directory, ending } = opened;
    const { prepare, giveBack } = createWarehousePreparer(opened, ending);
    // Only a report needs what draws it.
    const { createReportFromWarehouse } = await import('../../history/report/report.ts');
    const request = { ...parameters, withPersonalData: personalData === true };
    const { provenance, page } = await withPreparedWarehouse({ directory, timeZone }, prepare, (database, position) => {
      if (personalData && keep) keepWarehouse(directory);
      giveBack();
      return createReportFromWarehouse(database, position, request, ending);
    }).finally(giveBack);
    if (out === undefined) printRawText(terminal.stdout, page);
    else await writeNewFile(out, Readable.from([page]));
    const shown = personalData ? 'with personal data' : 'personal data left out';
    print(terminal.stderr, `hiring: at ${momentText(provenance.to)}, by version ${provenance.code}, ${shown}`);
  };
  await withWarehouse(terminal, options, recorded, make);
};

/** Adds `hiring history report`: the question, and what is about its page and the warehouse. */
export const addReportCommand = (history: Command, terminal: Terminal): void => {
  const command = addPersonalDataOptions(addQuestionCommand(history, makeReport))
    .option('--out <file>', 'a new file; by default standard output')
    .option('--copy <directory>', "where the warehouse is; by default in the user's cache directory")
    .option('--keep', 'do not delete the warehouse with personal data afterwards');
  command.action((options: ReportOptions) => report(terminal, parseQuestion(makeReport, command).parameters, options));
};
