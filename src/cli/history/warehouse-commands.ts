import { Option, type Command } from 'commander';
import { cohortPeriods } from '../../history/warehouse/measures.ts';
import type { AskOptions } from './ask.ts';
import type { SqlOptions } from './sql.ts';
import { FROM_SERVICE_HELP, parseFromServiceUrl, parseFromTimeOrService } from '../parts/from-option.ts';
import { sqlOutputs } from './sql-output.ts';
import type { Terminal } from '../parts/terminal.ts';
import { integerParser, parseLogPosition, checkDayOrTime, parseTimeZone } from '../parts/option-parsers.ts';

const withOptions = (command: Command): Command =>
  command
    .addOption(new Option('--output <format>', 'how the answer is written').choices(sqlOutputs).default('table'))
    .option('--out <file>', 'a new file for the answer; by default standard output')
    .option('--at-position <position>', 'as if the event log ended there: the same answer again', parseLogPosition)
    .option('--time-zone <zone>', 'of days and of times, like America/Denver; by default UTC', parseTimeZone)
    .option('--timeout <seconds>', 'how long a statement may run', integerParser(1, 86_400), 60)
    .option('--copy <directory>', "where the warehouse is; by default in the user's cache directory")
    .option('--personal-data', 'without masks; needs a --reason')
    .option('--reason <text>', 'why personal data is needed; recorded with who asked')
    .option('--keep', 'do not delete the warehouse with personal data afterwards');

/** Adds the commands that answer from the warehouse. */
export const addWarehouseCommands = (history: Command, terminal: Terminal): void => {
  withOptions(
    history
      .command('sql')
      .description('answer an SQL statement, or those of a prompt, from the warehouse: the event log as tables')
      .argument('[statement]', 'one SELECT; left out: statements are read from standard input')
      .option('--from <url>', FROM_SERVICE_HELP, parseFromServiceUrl),
  ).action(async (statement: string | undefined, options: SqlOptions) =>
    (await import('./sql.ts')).runSql(terminal, statement, options),
  );
  withOptions(
    history
      .command('ask')
      .description('answer a measure that the warehouse defines, with its meaning and its SQL')
      .argument('[measure]', 'its name; left out: all are listed')
      .option('--by <what>', 'a row for each office, profession or what else it can be grouped by')
      .addOption(new Option('--cohort <span>', 'a row for what began in each such time').choices(cohortPeriods))
      .option(
        '--from <time>',
        `what began at a day or an RFC 3339 time, or later; and ${FROM_SERVICE_HELP}`,
        parseFromTimeOrService,
      )
      .option('--to <time>', 'what began before it', checkDayOrTime),
  ).action(async (name: string | undefined, options: AskOptions) =>
    (await import('./ask.ts')).askMeasure(terminal, name, options),
  );
};
