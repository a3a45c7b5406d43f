import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { MOMENT, momentText, UP_TO } from '../history/moment/moment.ts';
import type { OpenedHistory } from '../history/operations/operation.ts';
import { makeReport } from '../history/operations/report.ts';
import { given } from '../lib/given.ts';
import { from, orService, type From } from './parts/from.ts';
import { withHistory } from './parts/history.ts';
import { pageOfService, type ServiceAnswer } from './parts/history-service.ts';
import { checkNewFile, writeNewFile } from './parts/new-file.ts';
import { reasonFor, withPersonalOptions, type PersonalOptions } from './parts/personal-data.ts';
import { sayNowAndThen } from './parts/say-now-and-then.ts';
import { endingOf, type Terminal } from './parts/terminal.ts';
import { logPosition, moment } from './parts/values.ts';
import { print, printData } from './parts/print.ts';

export interface ReportOptions extends PersonalOptions {
  readonly from?: From;
  /** Left out: up to now. */
  readonly to?: string;
  readonly upTo?: string;
  /** A new file; left out: standard output. */
  readonly out?: string;
  /** Of postings. */
  readonly profession?: string;
  readonly state?: string;
}

type MadeReport = Pick<ServiceAnswer, 'upTo' | 'code'> & { readonly page: string };

/** Has a report made from the stores, or by a service. @throws CliError for moments the wrong way round */
const reportFor = async (terminal: Terminal, options: ReportOptions): Promise<MadeReport> => {
  const { to, upTo, profession, state } = options;
  const { moment: after, service: url } = options.from ?? {};
  const parameters = given({ from: after, to, upTo, profession, state });
  const question = { params: {}, parameters };
  const signal = endingOf(terminal);
  const reason = reasonFor(options);
  if (url !== undefined) return pageOfService({ terminal, url, reason, signal }, makeReport, question);
  let say: ReturnType<typeof sayNowAndThen> | undefined;
  const onEvents = (read: number, of: number | undefined): void => {
    say ??= sayNowAndThen(terminal);
    say(() => `${read} of ${of ?? 'so many'} events read`);
  };
  const look = (opened: OpenedHistory) => makeReport.open(parameters, opened, { signal, onEvents });
  const { made, page } = await withHistory(terminal, makeReport, question, options, look);
  return { upTo: made.to, code: made.code, page };
};

const writeReport = async ({ stdout }: Terminal, page: string, out: string | undefined): Promise<void> => {
  if (out === undefined) printData(stdout, page);
  else await writeNewFile(out, Readable.from([page]));
};

/** `hiring history report`: the event log in pictures, as one page of HTML. */
export const report = async (terminal: Terminal, options: ReportOptions): Promise<void> => {
  const { out, personalData } = options;
  if (out !== undefined) checkNewFile(out);
  const { upTo, code, page } = await reportFor(terminal, options);
  await writeReport(terminal, page, out);
  const shown = personalData ? 'with personal data' : 'personal data left out';
  print(terminal.stderr, `hiring: at ${momentText(upTo)}, by version ${code}, ${shown}`);
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
    .option('--profession <id>', 'only postings of this profession, like hygienist')
    .option('--state <code>', 'only postings in this state, like TX');
  withPersonalOptions(command).action((options: ReportOptions) => report(terminal, options));
};
