import type { PreparationNews } from '../history/sql/prepare.ts';
import { answerStatement } from '../history/sql/session.ts';
import type { Config } from '../config/config.ts';
import { asCliError } from './parts/audit.ts';
import { CliError } from './parts/cli-error.ts';
import { codeVersion } from '../lib/code-version.ts';
import { sayDropped } from './parts/dropped.ts';
import { refuseWithoutLog } from './parts/event-file.ts';
import { unfinished } from './parts/new-file.ts';
import { reasonFor, recordingPersonalData, type PersonalOptions } from './parts/personal-data.ts';
import { sayNowAndThen } from './parts/say-now-and-then.ts';
import { copyDirectoryOf, deleteCopy, deleteLeftCopy, keepCopy, takeCopy } from './parts/sql-copy.ts';
import { checkDestination, writeAnswer, type SqlOutput } from './parts/sql-output.ts';
import { eachStatement } from './parts/sql-prompt.ts';
import { configOf, type Terminal } from './parts/terminal.ts';

export interface SqlOptions extends PersonalOptions {
  readonly output: SqlOutput;
  readonly out?: string;
  readonly atPosition?: string;
  /** Seconds that a statement may run. */
  readonly timeout: number;
  readonly copy?: string;
  readonly keep?: true;
}

/** How long a process waits for another one that uses the same copy. */
const WAIT_MS = 30_000;

const newsText = (news: Exclude<PreparationNews, { kind: 'anew' }>): string => {
  switch (news.kind) {
    case 'copied':
      return `${news.events} events copied, about ${news.left} to go`;
    case 'applied':
      return `${news.readModel}: ${news.events} of ${news.of ?? 'so many'} events applied`;
  }
};

/** What all statements of one command share. */
interface Opened {
  readonly terminal: Terminal;
  readonly config: Config;
  readonly directory: string;
  readonly options: SqlOptions;
  /** Aborted when the command is told to end. */
  readonly ending: AbortSignal;
}

/** Runs one statement, from the refresh of the copy to the last row. */
const runStatement = async (
  { terminal, config, directory, options, ending }: Opened,
  statement: string,
): Promise<void> => {
  const { output, out, atPosition, timeout, personalData } = options;
  const { stderr } = terminal;
  const say = sayNowAndThen(terminal);
  const tooLong = new AbortController();
  const release = await takeCopy(directory, WAIT_MS, terminal, ending);
  let timer: NodeJS.Timeout | undefined;
  try {
    await answerStatement(
      {
        statement,
        directory,
        eventStore: config.stores.eventStore,
        maskSecret: personalData ? undefined : config.codeSecret,
        atPosition,
        parquetFile: out !== undefined && output === 'parquet' ? unfinished(out) : undefined,
      },
      {
        signal: AbortSignal.any([ending, tooLong.signal]),
        onDropped: sayDropped(terminal),
        onNews: (news) => {
          if (news.kind === 'anew')
            stderr.write('hiring: the copy is of another event log or code: made anew\n');
          else say(() => newsText(news));
        },
      },
      async (answer) => {
        timer = setTimeout(() => {
          tooLong.abort(
            new CliError(
              `The statement ran longer than ${timeout} s, and was stopped; --timeout allows more`,
            ),
          );
        }, timeout * 1_000);
        await writeAnswer(terminal, answer, { output, out });
        const shown = personalData ? 'with personal data' : 'personal data masked';
        stderr.write(`hiring: at position ${answer.position}, by version ${codeVersion()}, ${shown}\n`);
      },
    );
  } finally {
    clearTimeout(timer);
    release();
  }
};

const runAll = async (terminal: Terminal, config: Config, given: string | undefined, options: SqlOptions) => {
  const directory = copyDirectoryOf(terminal, config.stores.eventStore, options);
  const ending = new AbortController();
  void terminal.nextSignal().then((signal) => ending.abort(new CliError(`Ended by ${signal}`)));
  const opened = { terminal, config, directory, options, ending: ending.signal };
  deleteLeftCopy(copyDirectoryOf(terminal, config.stores.eventStore, { ...options, personalData: true }));
  try {
    if (given !== undefined) await runStatement(opened, given);
    else await eachStatement(terminal, (statement) => runStatement(opened, statement));
  } finally {
    if (options.personalData && options.keep) keepCopy(directory);
    else if (options.personalData) deleteCopy(directory);
  }
};

/**
 * `hiring history sql`: answers a statement, or those of a prompt, from a columnar copy of the event log, which it brings
 * up to date first. Personal data is in a copy of its own, which is recorded before it is made, and deleted afterwards.
 */
export const runSql = async (
  terminal: Terminal,
  statement: string | undefined,
  options: SqlOptions,
): Promise<void> => {
  const config = configOf(terminal);
  try {
    checkDestination(options);
    const reason = reasonFor(options);
    refuseWithoutLog(config.stores);
    await recordingPersonalData(
      config.stores.eventStore,
      reason,
      (because) => ({
        command: 'history sql',
        of: Array.from(statement ?? 'a prompt')
          .slice(0, 1_000)
          .join(''),
        reason: because,
        kept: options.keep === true,
      }),
      () => runAll(terminal, config, statement, options),
    );
  } catch (error) {
    throw asCliError(error);
  }
};
