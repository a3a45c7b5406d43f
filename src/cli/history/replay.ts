import { Option, type Command } from 'commander';
import { MOMENT_HELP, findMomentPair, momentText, UP_TO_HELP, type Moment } from '../../history/moment/moment.ts';
import { csvPieces, ndjsonPieces, writeTableAsParquet } from '../../history/replay/formats.ts';
import { checkReplayFilePath, loadReplay, type LoadedReplay } from '../../history/replay/load.ts';
import { rowTexts, type RowTexts } from '../../history/replay/rows.ts';
import { resolveReplayEventTypes, replayEventsToState } from '../../history/replay/replay-events.ts';
import { createReplayResultTable } from '../../history/replay/table.ts';
import { writeTemplate } from '../../history/replay/template.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { toCliError } from '../parts/audit.ts';
import { CliError } from '../parts/cli-error.ts';
import { checkRowsDestination, type RowsDestination } from '../parts/destination.ts';
import { parseFromMomentOrService, momentOrServiceHelp } from '../parts/from-option.ts';
import { withHistory, type HistoryCommandOptions } from './with-history.ts';
import type { HistoryPort } from './port.ts';
import { writeNewFile } from '../parts/new-file.ts';
import { addPersonalDataOptions } from '../parts/personal-data.ts';
import { print, printPieces } from '../parts/print.ts';
import { watchSaves } from './watch-saves.ts';
import { progressPrinter } from './progress-printer.ts';
import { abortOnSignal, type Terminal } from '../parts/terminal.ts';
import { collectEventTypes, parseLogPosition, parseMomentText } from '../parts/option-parsers.ts';

const replayOutputs = ['ndjson', 'csv', 'parquet'] as const;
type ReplayOutput = (typeof replayOutputs)[number];

interface ReplayOptions extends HistoryCommandOptions, RowsDestination<ReplayOutput> {
  /** Left out: up to now. */
  readonly to?: string;
  readonly upTo?: string;
  /** Left out: those that have handlers. */
  readonly type?: readonly string[];
  readonly stream?: string;
  readonly new?: true;
  readonly watch?: true;
}

/** What all runs of one command share. */
interface ReplayRun {
  readonly terminal: Terminal;
  readonly history: HistoryPort;
  /** Of the projection. */
  readonly file: string;
  readonly options: ReplayOptions;
  /** Null: from the first event on. */
  readonly from: Moment | null;
  readonly to: Moment;
  /** Aborted by a signal that asks the command to end. */
  readonly ending: AbortSignal;
}

/** Writes rows as they come, no faster than they are taken. @throws DomainError for rows that do not fit */
const writeReplay = async (
  { stdout }: Terminal,
  { file, columns }: LoadedReplay,
  texts: RowTexts,
  { output, out }: RowsDestination<ReplayOutput>,
): Promise<void> => {
  const table = () => createReplayResultTable(file, texts, columns);
  const pieces = async () => (output === 'csv' ? csvPieces(await table()) : ndjsonPieces(texts));
  if (out === undefined) await printPieces(stdout, await pieces(), output === 'csv');
  else
    await writeNewFile(
      out,
      output === 'parquet' ? async (file) => writeTableAsParquet(file, await table()) : await pieces(),
    );
};

/** Gives the projection the events, and writes its rows. @throws CliError or DomainError where the projection fails */
const runReplay = async ({ terminal, history, file, options, from, to, ending }: ReplayRun): Promise<void> => {
  const { stderr } = terminal;
  const say = progressPrinter(terminal);
  const loaded = await loadReplay(file);
  if (loaded.needsPersonalData && !options.personalData)
    throw new CliError(`${file} makes sense only with personal data: --personal-data --reason <text>`);
  const filter = omitUndefined({
    from: options.from?.moment,
    to: options.to,
    upTo: to.position,
    type: [...resolveReplayEventTypes(loaded, options.type)],
    stream: options.stream,
    limit: Infinity,
  });
  const { code, lines } = await history.find(filter, ending);
  const { state, unreadable, firstUnreadable } = await replayEventsToState(loaded, lines, {
    signal: ending,
    onEvents: (read) => say(() => `${read} events read`),
  });
  await writeReplay(terminal, loaded, rowTexts(loaded, state, to, ending), options);
  if (firstUnreadable !== undefined)
    print(
      stderr,
      `hiring: events that this code cannot read are left out, ${unreadable} of them; the first: ${firstUnreadable}`,
    );
  const shown = options.personalData ? 'with personal data' : 'personal data masked';
  const after = from ? `after ${momentText(from)}, ` : '';
  print(stderr, `hiring: ${after}at ${momentText(to)}, by version ${code}, ${shown}`);
};

/** Runs it, and again whenever the file is saved, also after a run that failed; until a signal ends the command. */
const runReplayOnSave = async (run: ReplayRun): Promise<void> => {
  const { file, ending } = run;
  const { stderr } = run.terminal;
  for await (const _ of watchSaves(file, ending)) {
    try {
      await runReplay(run);
    } catch (error) {
      if (ending.aborted) return;
      const cliError = toCliError(error);
      if (!(cliError instanceof CliError)) throw error;
      print(stderr, `hiring: ${oneLine(cliError.message)}`);
    }
    print(stderr, `hiring: runs again when ${file} is saved`);
  }
};

/** `hiring history replay`: gives the events to an analyst's own projection, and writes the rows that it makes. */
const replayHistory = async (terminal: Terminal, file: string, options: ReplayOptions): Promise<void> => {
  const recorded = (reason: string) => ({ command: 'history replay', of: file, reason });
  checkReplayFilePath(file);
  checkRowsDestination(options);
  const ending = abortOnSignal(terminal);
  await withHistory(terminal, options, recorded, async (history) => {
    const { from: earlier, to: later, upTo } = options;
    const moments = await findMomentPair(history.momentOf, { from: earlier?.moment, to: later, upTo });
    const run = { terminal, history, file, options, ending, ...moments };
    await (options.watch ? runReplayOnSave(run) : runReplay(run));
  });
};

/** `hiring history replay --new`: a projection to begin with. @throws CliError for a file that is there */
const newReplay = ({ stderr }: Terminal, file: string): void => {
  writeTemplate(file);
  print(stderr, `hiring: ${file} is written; hiring history replay ${file} runs it`);
};

/** Adds `hiring history replay` with its options, as its help shows them. */
export const addReplayCommand = (history: Command, terminal: Terminal): void => {
  const command = history
    .command('replay')
    .description("give the events to an analyst's own projection, a file of TypeScript or JavaScript")
    .argument('<file>', 'the file, which runs in this process with all of its rights')
    .option('--new', 'write a template to that file, and run nothing')
    .option('--from <moment>', momentOrServiceHelp('events after it, by default all'), parseFromMomentOrService)
    .option('--to <moment>', `events up to ${MOMENT_HELP}; by default now`, parseMomentText)
    .option('--up-to <position>', UP_TO_HELP, parseLogPosition)
    .option('--type <type>', 'only this type; may be given several times', collectEventTypes)
    .option('--stream <stream>', 'only the events of a stream')
    .addOption(new Option('--output <format>', 'of the rows').choices(replayOutputs).default('ndjson'))
    .option('--out <file>', 'a new file for the rows; by default standard output')
    .option('--watch', 'run again whenever the file is saved, until it is interrupted');
  addPersonalDataOptions(command).action((file: string, options: ReplayOptions) =>
    options.new ? newReplay(terminal, file) : replayHistory(terminal, file, options),
  );
};
