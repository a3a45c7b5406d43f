import { momentText, type Moment } from '../../history/moment/moment.ts';
import { loadReplay } from '../../history/replay/load.ts';
import { rowTexts } from '../../history/replay/rows.ts';
import { replayedTypes, replayEvents, type Replayed } from '../../history/replay/run.ts';
import type { EventsAsked } from '../../history/operations/events.ts';
import { given } from '../../lib/given.ts';
import { asCliError } from './audit.ts';
import { oneLine } from '../../lib/visible.ts';
import { CliError } from './cli-error.ts';
import type { RowsDestination } from './destination.ts';
import type { History } from './history-port.ts';
import type { PersonalOptions } from './personal-data.ts';
import { writeReplay, type ReplayOutput } from './replay-output.ts';
import { savesOf } from './saves-of.ts';
import { sayNowAndThen } from './say-now-and-then.ts';
import type { Terminal } from './terminal.ts';
import { print } from './print.ts';

/** What all runs of one command share. */
export interface ReplayRun {
  readonly terminal: Terminal;
  /** Of the projection. */
  readonly file: string;
  readonly options: PersonalOptions &
    RowsDestination<ReplayOutput> & {
      /** Left out: those that have handlers. */
      readonly type?: readonly string[];
      readonly stream?: string;
    };
  /** Finds the events between the moments. */
  readonly find: (filter: Pick<EventsAsked, 'type' | 'stream'>) => ReturnType<History['find']>;
  /** Null: from the first event on. */
  readonly from: Moment | null;
  readonly to: Moment;
  /** Aborted when the command is told to end. */
  readonly ending: AbortSignal;
}

const madeFrom = (
  { options, from, to }: ReplayRun,
  code: string,
  { unreadable, firstUnreadable }: Replayed,
): readonly string[] => {
  const leftOut =
    firstUnreadable === undefined
      ? []
      : [
          `hiring: events that this code cannot read are left out, ${unreadable} of them; the first: ${firstUnreadable}`,
        ];
  const shown = options.personalData ? 'with personal data' : 'personal data masked';
  const after = from ? `after ${momentText(from)}, ` : '';
  return [...leftOut, `hiring: ${after}at ${momentText(to)}, by version ${code}, ${shown}`];
};

/** Gives the projection the events, and writes its rows. @throws CliError or DomainError where the projection fails */
export const runReplay = async (run: ReplayRun): Promise<void> => {
  const { terminal, file, options, find, to, ending } = run;
  const say = sayNowAndThen(terminal);
  const loaded = await loadReplay(file);
  if (loaded.needsPersonalData && !options.personalData)
    throw new CliError(`${file} makes sense only with personal data: --personal-data --reason <text>`);
  const types = replayedTypes(loaded, options.type);
  const { code, lines } = await find(given({ type: [...types], stream: options.stream }));
  const replayed = await replayEvents(loaded, lines, {
    signal: ending,
    onEvents: (read) => say(() => `${read} events read`),
  });
  await writeReplay(terminal, loaded, rowTexts(loaded, replayed.state, to, ending), options);
  print(terminal.stderr, madeFrom(run, code, replayed));
};

/** The same, and again whenever the file is saved, also after a run that failed; until the command is told to end. */
export const runReplayOnSave = async (run: ReplayRun): Promise<void> => {
  const { file, ending } = run;
  const { stderr } = run.terminal;
  for await (const _ of savesOf(file, ending)) {
    try {
      await runReplay(run);
    } catch (error) {
      if (ending.aborted) return;
      const cliError = asCliError(error);
      if (!(cliError instanceof CliError)) throw error;
      print(stderr, `hiring: ${oneLine(cliError.message)}`);
    }
    print(stderr, `hiring: runs again when ${file} is saved`);
  }
};
