import { join } from 'node:path';
import type { Position } from '../event-store/port.ts';
import type { Doing } from '../history/threads/ordered.ts';
import { prepareBeside } from '../history/warehouse/prepare-beside.ts';
import { prepareWarehouse, type Preparation, type PreparationNews } from '../history/warehouse/prepare.ts';
import { answerStatement } from '../history/warehouse/session.ts';
import type { StoreSettings } from '../stores.ts';
import { asCliError } from './parts/audit.ts';
import { CliError } from './parts/cli-error.ts';
import { visible } from '../lib/visible.ts';
import { codeVersion } from '../lib/code-version.ts';
import { checkDestination } from './parts/destination.ts';
import { sayDropped } from './parts/dropped.ts';
import { historyConfigOf } from './parts/event-file.ts';
import type { From } from './parts/from.ts';
import type { Service } from './parts/history-service.ts';
import { unfinished } from './parts/new-file.ts';
import { reasonFor, recordingPersonalData, type PersonalOptions } from './parts/personal-data.ts';
import { reading } from './parts/salvage.ts';
import { sayNowAndThen } from './parts/say-now-and-then.ts';
import { openServiceCopySource } from './parts/service-copy-source.ts';
import { copiedFrom, copyDirectoryOf, deleteUnkeptCopy, keepCopy, takeCopy } from './parts/sql-copy.ts';
import { writeAnswer, type SqlOutput } from './parts/sql-output.ts';
import { eachStatement } from './parts/sql-prompt.ts';
import { endingOf, type Terminal } from './parts/terminal.ts';
import { print } from './parts/print.ts';

export interface SqlOptions extends PersonalOptions {
  /** A service; left out: the stores. */
  readonly from?: From;
  readonly output: SqlOutput;
  readonly out?: string;
  readonly atPosition?: string;
  /** Of days and of times that are shown; left out: UTC. */
  readonly timeZone?: string;
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
      return `${news.events} events copied${news.left === undefined ? '' : `, about ${news.left} to go`}`;
    case 'applied':
      return `${news.readModel}: ${news.events} of ${news.of ?? 'so many'} events applied`;
  }
};

/** Brings the copy up to date, and makes what a statement names. */
type Prepare = (preparation: Preparation, preparing: Doing<PreparationNews>) => Promise<Position>;

const preparingFromService =
  (service: Omit<Service, 'signal'>): Prepare =>
  async (preparation, { signal, onNews }) => {
    const source = await openServiceCopySource({ ...service, signal });
    return prepareWarehouse(source, source.shownAs, preparation, { signal, onNews });
  };

/** What all statements of one command share. */
interface Opened {
  readonly terminal: Terminal;
  readonly directory: string;
  readonly options: SqlOptions;
  readonly prepare: Prepare;
  /** Aborted when the command is told to end. */
  readonly ending: AbortSignal;
  /** How many have been answered. */
  answers: number;
}

const runStatement = async (opened: Opened, statement: string): Promise<void> => {
  const { terminal, directory, options, prepare, ending } = opened;
  const { output, out, atPosition, timeZone, timeout, personalData, keep } = options;
  const { stderr } = terminal;
  const say = sayNowAndThen(terminal);
  const tooLong = new AbortController();
  const signal = AbortSignal.any([ending, tooLong.signal]);
  const onNews = (news: PreparationNews) => {
    if (news.kind === 'anew')
      print(
        stderr,
        'hiring: the warehouse is of another event log or code, has other masks or is damaged: made anew',
      );
    else say(() => newsText(news));
  };
  const onDropped = sayDropped(terminal);
  let timer: NodeJS.Timeout | undefined;
  let release: (() => void) | undefined;
  const giveBack = () => {
    release?.();
    release = undefined;
  };
  try {
    await answerStatement(
      {
        statement,
        directory,
        isMasked: personalData !== true,
        atPosition,
        timeZone,
        parquetFile: out !== undefined && output === 'parquet' ? unfinished(out) : undefined,
      },
      async (preparation) => {
        release = await takeCopy(directory, WAIT_MS, terminal, ending);
        return prepare(preparation, { signal, onNews, onDropped });
      },
      signal,
      async (answer) => {
        // What is open is there, whatever others write or delete from here on.
        if (personalData && keep) keepCopy(directory);
        giveBack();
        timer = setTimeout(() => {
          tooLong.abort(
            new CliError(
              `The statement ran longer than ${timeout} s, and was stopped; --timeout allows more`,
            ),
          );
        }, timeout * 1_000);
        for (const column of answer.maskedConditions)
          print(
            stderr,
            `hiring: ${column} is masked or withheld here: a condition on its value means nothing`,
          );
        const spaced: typeof answer = {
          ...answer,
          // A statement that is refused has no answer to set apart.
          async rows(form) {
            const found = await answer.rows(form);
            if (output === 'table' && opened.answers++ > 0) print(terminal.stdout, '');
            return found;
          },
        };
        await writeAnswer(terminal, spaced, { output, out });
        const shown = personalData ? 'with personal data' : 'personal data masked';
        print(stderr, `hiring: at position ${answer.position}, by version ${codeVersion()}, ${shown}`);
      },
    );
  } finally {
    clearTimeout(timer);
    giveBack();
  }
};

/** Runs one statement, or those of a prompt. @param source names what is copied */
const runAll = async (
  terminal: Terminal,
  source: string,
  prepare: Prepare,
  statement: string | undefined,
  options: SqlOptions,
  ending: AbortSignal,
): Promise<void> => {
  const directory = copyDirectoryOf(terminal, source, options);
  const opened = { terminal, directory, options, prepare, ending, answers: 0 };
  deleteUnkeptCopy(copyDirectoryOf(terminal, source, { ...options, personalData: true }));
  try {
    if (statement !== undefined) await runStatement(opened, statement);
    else await eachStatement(terminal, (each) => runStatement(opened, each));
  } finally {
    if (options.personalData) deleteUnkeptCopy(directory);
  }
};

const sqlOnStores = async (
  terminal: Terminal,
  statement: string | undefined,
  options: SqlOptions,
  ending: AbortSignal,
): Promise<void> => {
  const config = historyConfigOf(terminal);
  const { stores, codeSecret } = config;
  const maskSecret = options.personalData ? undefined : codeSecret;
  const run = ({ eventStore }: StoreSettings, salvagedIn?: string): Promise<void> => {
    const prepare: Prepare = (preparation, preparing) =>
      prepareBeside({ ...preparation, eventStore, maskSecret }, preparing);
    // The warehouse of the whole event log is neither asked nor changed.
    const where = salvagedIn === undefined ? options : { ...options, copy: join(salvagedIn, 'warehouse') };
    return runAll(terminal, copiedFrom(eventStore), prepare, statement, where, ending);
  };
  await recordingPersonalData(
    config,
    reasonFor(options),
    (because) => ({
      command: 'history sql',
      of: Array.from(visible(statement ?? 'a prompt'))
        .slice(0, 1_000)
        .join(''),
      reason: because,
      kept: options.keep === true,
    }),
    () => reading(terminal, stores, options, run),
  );
};

/**
 * `hiring history sql`: answers a statement, or those of a prompt, from the warehouse, which it first
 * brings up to date from the stores or a service. Personal data is in a copy of its own, which is recorded before it is
 * made, and without `--keep` deleted afterwards.
 */
export const runSql = async (
  terminal: Terminal,
  statement: string | undefined,
  options: SqlOptions,
): Promise<void> => {
  try {
    checkDestination(options);
    const url = options.from?.service;
    const ending = endingOf(terminal);
    if (url === undefined) await sqlOnStores(terminal, statement, options, ending);
    else {
      const prepare = preparingFromService({ terminal, url, reason: reasonFor(options) });
      await runAll(terminal, url, prepare, statement, options, ending);
    }
  } catch (error) {
    throw asCliError(error);
  }
};
