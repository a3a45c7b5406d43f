import { withRunnableStatement } from '../../history/warehouse/runnable-statement.ts';
import { escapeInvisible } from '../../lib/escape-invisible.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { CliError } from '../parts/cli-error.ts';
import { checkRowsDestination } from '../parts/destination.ts';
import { unfinishedFileOf } from '../parts/new-file.ts';
import { print } from '../parts/print.ts';
import { keepWarehouse } from './warehouse-directory.ts';
import { writeSqlAnswer, type SqlOutput } from './sql-output.ts';
import { runSqlInput } from './sql-prompt.ts';
import type { Terminal } from '../parts/terminal.ts';
import {
  withWarehouse,
  createWarehousePreparer,
  type WarehouseCommandContext,
  type WarehouseCommandOptions,
} from './with-warehouse.ts';

export interface SqlOptions extends WarehouseCommandOptions {
  readonly output: SqlOutput;
  readonly out?: string;
  readonly atPosition?: string;
  /** Seconds that a statement may run. */
  readonly timeout: number;
}

/** What all statements of one command share. */
interface Opened extends WarehouseCommandContext {
  readonly options: SqlOptions;
  /** How many have been answered. */
  answers: number;
}

const runStatement = async (opened: Opened, statement: string): Promise<void> => {
  const { terminal, directory, options, ending } = opened;
  const { output, out, atPosition, timeZone, timeout, personalData, keep } = options;
  const { stderr } = terminal;
  const tooLong = new AbortController();
  const signal = AbortSignal.any([ending, tooLong.signal]);
  const { prepare, giveBack } = createWarehousePreparer(opened, signal);
  let timer: NodeJS.Timeout | undefined;
  try {
    await withRunnableStatement(
      {
        statement,
        directory,
        isMasked: personalData !== true,
        atPosition,
        timeZone,
        parquetFile: out !== undefined && output === 'parquet' ? unfinishedFileOf(out) : undefined,
      },
      prepare,
      signal,
      async (answer) => {
        // What is open is there, whatever others write or delete from here on.
        if (personalData && keep) keepWarehouse(directory);
        giveBack();
        timer = setTimeout(() => {
          tooLong.abort(
            new CliError(`The statement ran longer than ${timeout} s, and was stopped; --timeout allows more`),
          );
        }, timeout * 1_000);
        for (const column of answer.maskedConditions)
          print(stderr, `hiring: ${column} is masked or withheld here: a condition on its value means nothing`);
        const spaced: typeof answer = {
          ...answer,
          // A statement that is refused has no answer to set apart.
          async rows(form) {
            const found = await answer.rows(form);
            if (output === 'table' && opened.answers++ > 0) print(terminal.stdout, '');
            return found;
          },
        };
        await writeSqlAnswer(terminal, spaced, { output, out });
        const shown = personalData ? 'with personal data' : 'personal data masked';
        print(stderr, `hiring: at position ${answer.position}, by version ${readPackageVersion()}, ${shown}`);
      },
    );
  } finally {
    clearTimeout(timer);
    giveBack();
  }
};

/**
 * `hiring history sql`: answers a statement, or those of a prompt, from the warehouse, which it first
 * brings up to date from the stores or a service. Personal data is in a copy of its own, which is recorded before it is
 * made, and without `--keep` deleted afterwards.
 */
export const runSql = async (terminal: Terminal, statement: string | undefined, options: SqlOptions): Promise<void> => {
  const recorded = (because: string) => ({
    command: 'history sql',
    of: Array.from(escapeInvisible(statement ?? 'a prompt'))
      .slice(0, 1_000)
      .join(''),
    reason: because,
    kept: options.keep === true,
  });
  await withWarehouse(terminal, options, recorded, async (warehouse) => {
    checkRowsDestination(options);
    const opened = { ...warehouse, options, answers: 0 };
    if (statement !== undefined) await runStatement(opened, statement);
    else await runSqlInput(terminal, (each) => runStatement(opened, each));
  });
};
