import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { MOMENT } from '../history/moment/moment.ts';
import { START } from '../event-store/port.ts';
import { openLog } from '../stores.ts';
import { asCliError } from './parts/audit.ts';
import { CliError } from './parts/cli-error.ts';
import { codeVersion } from '../lib/code-version.ts';
import { sayDropped } from './parts/dropped.ts';
import { refuseWithoutLog } from './parts/event-file.ts';
import { momentsAsked, momentsOf, type MomentsNamed } from './parts/moments-asked.ts';
import { checkNewFile, writeNewFile } from './parts/new-file.ts';
import {
  reasonFor,
  recordingPersonalData,
  withPersonalOptions,
  type PersonalOptions,
} from './parts/personal-data.ts';
import { sayNowAndThen } from './parts/say-now-and-then.ts';
import { configOf, type Terminal } from './parts/terminal.ts';
import { moment } from './parts/values.ts';

export interface ReportOptions extends PersonalOptions, MomentsNamed {
  /** A new file; left out: standard output. */
  readonly out?: string;
  /** Of postings. */
  readonly profession?: string;
  readonly state?: string;
}

/** @throws CliError for moments the wrong way round */
const makeReport = async (terminal: Terminal, { stores }: Config, options: ReportOptions) => {
  const { profession, state, personalData } = options;
  // Only a report needs what draws it.
  const { reportPage } = await import('../history/report/page.ts');
  const { readFigures } = await import('../history/report/read-figures.ts');
  const ending = new AbortController();
  void terminal.nextSignal().then((signal) => ending.abort(new CliError(`Ended by ${signal}`)));
  const say = sayNowAndThen(terminal);
  const withPersonalData = personalData === true;
  const log = await openLog(stores.eventStore, sayDropped(terminal));
  try {
    const { from, to } = await momentsAsked(momentsOf(log), options);
    const asked = { after: from?.position ?? START, upTo: to.position, profession, state, withPersonalData };
    const { figures, leftOut } = await readFigures(log, asked, {
      signal: ending.signal,
      onEvents: (read, of) => say(() => `${read} of ${of ?? 'so many'} events read`),
    });
    const made = { from, to, code: codeVersion(), profession, state, withPersonalData };
    return { made, page: reportPage(figures, leftOut, made) };
  } finally {
    await log.close();
  }
};

const writeReport = async ({ stdout }: Terminal, page: string, out: string | undefined): Promise<void> => {
  if (out === undefined) stdout.write(page);
  else await writeNewFile(out, (file) => writeFile(file, page, { mode: 0o600 }));
};

/**
 * `hiring history report`: the event log in pictures, as one page of HTML. Where personal data is asked for, that is
 * recorded first.
 */
export const report = async (terminal: Terminal, options: ReportOptions): Promise<void> => {
  const { out, profession, state } = options;
  try {
    const config = configOf(terminal);
    if (out !== undefined) checkNewFile(out);
    const reason = reasonFor(options);
    refuseWithoutLog(config.stores);
    const run = async () => {
      const { made, page } = await makeReport(terminal, config, options);
      await writeReport(terminal, page, out);
      const shown = made.withPersonalData ? 'with personal data' : 'personal data left out';
      terminal.stderr.write(`hiring: at position ${made.to.position}, by version ${made.code}, ${shown}\n`);
    };
    const of = [profession && `profession ${profession}`, state && `state ${state}`]
      .filter(Boolean)
      .join(', ');
    await recordingPersonalData(
      config.stores.eventStore,
      reason,
      (because) => ({ command: 'history report', of, reason: because }),
      run,
    );
  } catch (error) {
    throw asCliError(error);
  }
};

/** Adds the command. */
export const addReport = (history: Command, terminal: Terminal): void => {
  const command = history
    .command('report')
    .description(
      'show in pictures what happened between saves and hires: one page of HTML that needs nothing else',
    )
    .option('--out <file>', 'a new file; by default standard output')
    .option('--from <moment>', `count what happened after it: ${MOMENT}; by default all`, moment)
    .option('--to <moment>', `${MOMENT}; by default now`, moment)
    .option('--profession <id>', 'only postings of this profession, like hygienist')
    .option('--state <code>', 'only postings in this state, like TX');
  withPersonalOptions(command).action((options: ReportOptions) => report(terminal, options));
};
