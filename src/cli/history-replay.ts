import { Option, type Command } from 'commander';
import { maskBy, noMask } from '../history/moment/mask.ts';
import { MOMENT } from '../history/moment/moment.ts';
import { checkReplayFile } from '../history/replay/load.ts';
import { writeTemplate } from '../history/replay/template.ts';
import { openLog } from '../stores.ts';
import { asCliError } from './parts/audit.ts';
import { CliError } from './parts/cli-error.ts';
import { sayDropped } from './parts/dropped.ts';
import { refuseWithoutLog } from './parts/event-file.ts';
import { refusing } from './parts/history.ts';
import { momentsAsked, type MomentsNamed } from './parts/moments-asked.ts';
import { reasonFor, recordingPersonalData, withPersonalOptions } from './parts/personal-data.ts';
import { runReplay, runReplayOnSave, type ReplayRun } from './parts/replay-runs.ts';
import { replayOutputs } from './parts/replay-output.ts';
import { checkDestination } from './parts/sql-output.ts';
import { configOf, type Terminal } from './parts/terminal.ts';
import { eventType, moment } from './parts/values.ts';

export type ReplayOptions = ReplayRun['options'] &
  MomentsNamed & {
    readonly new?: true;
    readonly watch?: true;
  };

/**
 * `hiring history replay`: gives the events of the event log to an analyst's own projection, and writes the rows that it
 * makes of them. Where personal data is asked for, that is recorded first.
 */
export const replayHistory = async (
  terminal: Terminal,
  file: string,
  options: ReplayOptions,
): Promise<void> => {
  try {
    const config = configOf(terminal);
    const { eventStore } = config.stores;
    checkReplayFile(file);
    checkDestination(options);
    const reason = reasonFor(options);
    refuseWithoutLog(config.stores);
    const ending = new AbortController();
    void terminal.nextSignal().then((signal) => ending.abort(new CliError(`Ended by ${signal}`)));
    const run = async () => {
      const log = await openLog(eventStore, sayDropped(terminal));
      try {
        const mask = options.personalData ? noMask : maskBy(config.codeSecret);
        const moments = await momentsAsked(log, options);
        const opened = { terminal, file, options, log, mask, ...moments, ending: ending.signal };
        await (options.watch ? runReplayOnSave(opened) : runReplay(opened));
      } finally {
        await log.close();
      }
    };
    await recordingPersonalData(
      eventStore,
      reason,
      (because) => ({ command: 'history replay', of: file, reason: because }),
      run,
    );
  } catch (error) {
    throw asCliError(error);
  }
};

/** `hiring history replay --new`: a projection to begin with. @throws CliError for a file that is there */
const newReplay = ({ stderr }: Terminal, file: string): void => {
  refusing(() => writeTemplate(file));
  stderr.write(`hiring: ${file} is written; hiring history replay ${file} runs it\n`);
};

/** Adds the command. */
export const addReplay = (history: Command, terminal: Terminal): void => {
  const command = history
    .command('replay')
    .description("give the events to an analyst's own projection, a file of TypeScript or JavaScript")
    .argument('<file>', 'the file, which runs in this process with all of its rights')
    .option('--new', 'write a template to that file, and run nothing')
    .option('--from <moment>', `events after ${MOMENT}; by default all`, moment)
    .option('--to <moment>', `events up to ${MOMENT}; by default now`, moment)
    .option('--type <type>', 'only this type; may be given several times', eventType)
    .option('--stream <stream>', 'only the events of a stream')
    .addOption(new Option('--output <format>', 'of the rows').choices(replayOutputs).default('ndjson'))
    .option('--out <file>', 'a new file for the rows; by default standard output')
    .option('--watch', 'run again whenever the file is saved, until it is interrupted');
  withPersonalOptions(command).action((file: string, options: ReplayOptions) =>
    options.new ? newReplay(terminal, file) : replayHistory(terminal, file, options),
  );
};
