import { Option, type Command } from 'commander';
import { MOMENT, momentsBetween, UP_TO, type MomentsRequest } from '../history/moment/moment.ts';
import { checkReplayFile } from '../history/replay/load.ts';
import { writeTemplate } from '../history/replay/template.ts';
import { given } from '../lib/given.ts';
import { checkDestination } from './parts/destination.ts';
import { withHistory } from './parts/history.ts';
import { from, orService, type From } from './parts/from.ts';
import { withPersonalOptions } from './parts/personal-data.ts';
import { runReplay, runReplayOnSave, type ReplayRun } from './parts/replay-runs.ts';
import { replayOutputs } from './parts/replay-output.ts';
import { endingOf, type Terminal } from './parts/terminal.ts';
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

/** `hiring history replay`: gives the events to an analyst's own projection, and writes the rows that it makes. */
export const replayHistory = async (
  terminal: Terminal,
  file: string,
  options: ReplayOptions,
): Promise<void> => {
  const recorded = (reason: string) => ({ command: 'history replay', of: file, reason });
  checkReplayFile(file);
  checkDestination(options);
  const ending = endingOf(terminal);
  await withHistory(terminal, options, recorded, async (history) => {
    const asked = momentsRequest(options);
    const moments = await momentsBetween(history.momentOf, asked);
    const find: ReplayRun['find'] = (filter) =>
      history.find(given({ ...asked, ...filter, upTo: moments.to.position, limit: Infinity }), ending);
    const run = { terminal, file, options, find, ending, ...moments };
    await (options.watch ? runReplayOnSave(run) : runReplay(run));
  });
};

/** `hiring history replay --new`: a projection to begin with. @throws CliError for a file that is there */
const newReplay = ({ stderr }: Terminal, file: string): void => {
  writeTemplate(file);
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
