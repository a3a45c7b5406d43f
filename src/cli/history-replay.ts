import { Option, type Command } from 'commander';
import { eventsBetween } from '../history/find/events-between.ts';
import { maskBy } from '../history/moment/mask.ts';
import { MOMENT, momentsBetween, momentsOf, UP_TO, type MomentsRequest } from '../history/moment/moment.ts';
import { checkReplayFile } from '../history/replay/load.ts';
import { writeTemplate } from '../history/replay/template.ts';
import { codeVersion } from '../lib/code-version.ts';
import { openLog } from '../stores.ts';
import { asCliError, refusing } from './parts/audit.ts';
import { checkDestination } from './parts/destination.ts';
import { sayDropped } from './parts/dropped.ts';
import { from, orService, type From } from './parts/from.ts';
import { historyConfigOf } from './parts/event-file.ts';
import { reasonFor, recordingPersonalData, withPersonalOptions } from './parts/personal-data.ts';
import { runReplay, runReplayOnSave, type ReplayRun } from './parts/replay-runs.ts';
import { replayOutputs } from './parts/replay-output.ts';
import { reading } from './parts/salvage.ts';
import { openServiceLog } from './parts/service-events.ts';
import { endingOf, type Terminal } from './parts/terminal.ts';
import { using } from '../lib/using.ts';
import { eventType, logPosition, moment } from './parts/values.ts';
import { print } from './parts/print.ts';

export type ReplayOptions = ReplayRun['options'] & {
  readonly from?: From;
  /** Left out: up to now. */
  readonly to?: string;
  readonly upTo?: string;
  readonly new?: true;
  readonly watch?: true;
};

const momentsRequest = ({ from, to, upTo }: ReplayOptions): MomentsRequest => ({
  from: from?.moment,
  to,
  upTo,
});

type ReplayedLog = Pick<ReplayRun, 'events' | 'code' | 'from' | 'to'>;

/** Replays the events of the stores. Where personal data is asked for, that is recorded first. */
const replayStores = async (
  terminal: Terminal,
  file: string,
  options: ReplayOptions,
  reason: string | undefined,
  replay: (log: ReplayedLog) => Promise<void>,
): Promise<void> => {
  const config = historyConfigOf(terminal);
  const { stores, codeSecret } = config;
  const run = () =>
    reading(terminal, stores, options, ({ eventStore }) =>
      using(openLog(eventStore, sayDropped(terminal)), async (log) => {
        const events = eventsBetween(log, maskBy(reason === undefined ? codeSecret : undefined));
        const moments = await momentsBetween(momentsOf(log), momentsRequest(options));
        await replay({ events, code: codeVersion(), ...moments });
      }),
    );
  await recordingPersonalData(
    config,
    reason,
    (because) => ({ command: 'history replay', of: file, reason: because }),
    run,
  );
};

/** `hiring history replay`: gives the events to an analyst's own projection, and writes the rows that it makes. */
export const replayHistory = async (
  terminal: Terminal,
  file: string,
  options: ReplayOptions,
): Promise<void> => {
  try {
    checkReplayFile(file);
    checkDestination(options);
    const reason = reasonFor(options);
    const ending = endingOf(terminal);
    const replay = (log: ReplayedLog): Promise<void> => {
      const run = { terminal, file, options, ending, ...log };
      return options.watch ? runReplayOnSave(run) : runReplay(run);
    };
    const url = options.from?.service;
    if (url === undefined) {
      await replayStores(terminal, file, options, reason, replay);
      return;
    }
    // The service records first where personal data is asked for.
    const { events, code, momentOf } = await openServiceLog({ terminal, url, reason, signal: ending });
    await replay({ events, code, ...(await momentsBetween(momentOf, momentsRequest(options))) });
  } catch (error) {
    throw asCliError(error, 1);
  }
};

/** `hiring history replay --new`: a projection to begin with. @throws CliError for a file that is there */
const newReplay = ({ stderr }: Terminal, file: string): void => {
  refusing(() => writeTemplate(file));
  print(stderr, `hiring: ${file} is written; hiring history replay ${file} runs it`);
};

/** Adds `hiring history replay` with its options, as its help shows them. */
export const addReplay = (history: Command, terminal: Terminal): void => {
  const command = history
    .command('replay')
    .description("give the events to an analyst's own projection, a file of TypeScript or JavaScript")
    .argument('<file>', 'the file, which runs in this process with all of its rights')
    .option('--new', 'write a template to that file, and run nothing')
    .option('--from <moment>', orService('events after it, by default all'), from)
    .option('--to <moment>', `events up to ${MOMENT}; by default now`, moment)
    .option('--up-to <position>', UP_TO, logPosition)
    .option('--type <type>', 'only this type; may be given several times', eventType)
    .option('--stream <stream>', 'only the events of a stream')
    .addOption(new Option('--output <format>', 'of the rows').choices(replayOutputs).default('ndjson'))
    .option('--out <file>', 'a new file for the rows; by default standard output')
    .option('--watch', 'run again whenever the file is saved, until it is interrupted');
  withPersonalOptions(command).action((file: string, options: ReplayOptions) =>
    options.new ? newReplay(terminal, file) : replayHistory(terminal, file, options),
  );
};
