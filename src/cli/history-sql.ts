import { maskBy, noMask } from '../history/moment/mask.ts';
import type { Showing } from '../history/sql/copy.ts';
import { session } from '../history/sql/session.ts';
import { openLog, type LogBeside } from '../stores.ts';
import type { Config } from '../config/config.ts';
import { asCliError, auditedIn } from './parts/audit.ts';
import { CliError } from './parts/cli-error.ts';
import { codeVersion } from './parts/code-version.ts';
import { sayDropped } from './parts/dropped.ts';
import { refuseWithoutLog } from './parts/history-source.ts';
import { copyDirectoryOf, deleteCopy, takeCopy } from './parts/sql-copy.ts';
import { checkDestination, unfinished, writeAnswer, type SqlOutput } from './parts/sql-output.ts';
import { eachStatement } from './parts/sql-prompt.ts';
import { configOf, type Terminal } from './parts/terminal.ts';

export interface SqlOptions {
  readonly output: SqlOutput;
  readonly out?: string;
  readonly atPosition?: string;
  /** Seconds that a statement may run. */
  readonly timeout: number;
  readonly copy?: string;
  readonly personalData?: true;
  readonly reason?: string;
  readonly keep?: true;
}

/** How long a process waits for another one that uses the same copy. */
const WAIT_MS = 30_000;
const SAY_EVERY_MS = 1_000;

const showingOf = ({ codeSecret }: Config, { personalData }: SqlOptions): Showing => {
  if (personalData) return { mask: noMask, isMasked: false, maskId: 'none' };
  const mask = maskBy(codeSecret);
  return { mask, isMasked: true, maskId: JSON.stringify(mask({ 'x-personal': 'maskId' }, 'maskId')) };
};

/** Says now and then how far something is, where it takes long. */
const progress = ({ stderr }: Terminal) => {
  let saidAt = performance.now();
  return (text: () => string): void => {
    if (performance.now() - saidAt < SAY_EVERY_MS) return;
    saidAt = performance.now();
    stderr.write(`hiring: ${text()}\n`);
  };
};

/** What all statements of one command share. */
interface Opened {
  readonly terminal: Terminal;
  readonly log: LogBeside;
  readonly directory: string;
  readonly showing: Showing;
  readonly options: SqlOptions;
  /** Aborted when the command is told to end. */
  readonly ending: AbortSignal;
}

/** Runs one statement, from the refresh of the copy to the last row. */
const runStatement = async (
  { terminal, log, directory, showing, options, ending }: Opened,
  statement: string,
): Promise<void> => {
  const { output, out, atPosition, timeout } = options;
  const say = progress(terminal);
  const tooLong = new AbortController();
  const release = await takeCopy(directory, WAIT_MS, terminal, ending);
  let timer: NodeJS.Timeout | undefined;
  try {
    await session(
      { statement, directory, log, atPosition },
      {
        showing,
        signal: AbortSignal.any([ending, tooLong.signal]),
        parquetFile: out !== undefined && output === 'parquet' ? unfinished(out) : undefined,
        onCopied: (events, left) => say(() => `${events} events copied, about ${left} to go`),
        onAnew: () => terminal.stderr.write('hiring: the copy is of another event log or code: made anew\n'),
        onEvents: (name, applied, of) => say(() => `${name}: ${applied} of ${of ?? '?'} events applied`),
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
        const shown = showing.isMasked ? 'personal data masked' : 'with personal data';
        terminal.stderr.write(
          `hiring: at position ${answer.position}, by version ${codeVersion()}, ${shown}\n`,
        );
      },
    );
  } finally {
    clearTimeout(timer);
    release();
  }
};

const runAll = async (terminal: Terminal, config: Config, given: string | undefined, options: SqlOptions) => {
  const { eventStore } = config.stores;
  const directory = copyDirectoryOf(terminal, eventStore, options);
  const ending = new AbortController();
  void terminal.nextSignal().then((signal) => ending.abort(new CliError(`Ended by ${signal}`)));
  const log = await openLog(eventStore, sayDropped(terminal));
  try {
    const showing = showingOf(config, options);
    const opened = { terminal, log, directory, showing, options, ending: ending.signal };
    if (given !== undefined) await runStatement(opened, given);
    else await eachStatement(terminal, (statement) => runStatement(opened, statement));
  } finally {
    await log.close();
    if (options.personalData && !options.keep) deleteCopy(directory);
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
  const { personalData, reason, keep } = options;
  try {
    checkDestination(options);
    if (personalData && reason === undefined)
      throw new CliError('--personal-data needs a --reason, which is recorded');
    refuseWithoutLog(config.stores);
    const run = () => runAll(terminal, config, statement, options);
    if (!personalData) {
      await run();
      return;
    }
    const parameters = {
      command: 'history sql',
      of: Array.from(statement ?? 'a prompt')
        .slice(0, 1_000)
        .join(''),
      reason: reason ?? '',
      kept: keep === true,
    };
    await auditedIn(config.stores.eventStore)({ operation: 'personal-data', parameters }, run);
  } catch (error) {
    throw asCliError(error);
  }
};
