import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import type { ProcessPriority } from '../lib/process-priority.ts';
import { DirectoryInUseError } from './parts/data-directory.ts';
import { LogRefusedError } from '../log-identity/admit-log.ts';
import { StoreUnavailableError } from '../errors/store-unavailable.ts';
import { UnusableFileError } from '../errors/unusable-file.ts';
import { UnusableServerError } from '../errors/unusable-server.ts';
import { consoleUrlOfCommand } from './console-view.ts';
import type { BackupOptions } from './event-log/backup.ts';
import type { CheckOptions } from './event-log/check.ts';
import type { CopyOptions } from './event-log/copy.ts';
import type { DoctorOptions } from './doctor/doctor.ts';
import { CliError, errorLines } from './parts/cli-error.ts';
import { toCliError } from './parts/audit.ts';
import type { AuditOptions } from './history/audit.ts';
import { addExportCommand } from './history/export.ts';
import { addPersonCommand } from './history/person.ts';
import { addQuestionCommands } from './history/question-commands.ts';
import { addReplayCommand } from './history/replay.ts';
import { addReportCommand } from './history/report.ts';
import type { SqlOptions } from './history/sql.ts';
import { addWarehouseCommands } from './history/warehouse-commands.ts';
import { FROM_SERVICE_HELP, parseFromServiceUrl, type FromOption } from './parts/from-option.ts';
import type { PersonalDataOptions } from './parts/personal-data.ts';
import type { AroundDamageOption } from './parts/salvage.ts';
import { addProjectionsCommands, type ExitCodeWrapper } from './projections/program.ts';
import type { RestoreOptions } from './event-log/restore.ts';
import type { SeedOptions } from './seed.ts';
import type { TokenOptions } from './token.ts';
import { loadTerminalEnvironment, type Output, type Terminal } from './parts/terminal.ts';
import { parseActor, parseIdentifier, parseInstant, integerParser } from './parts/option-parsers.ts';
import { print } from './parts/print.ts';

/** Commands that may run for minutes, and read the event log a few events at a time. */
const LONG_COMMANDS = ['export', 'replay'];

/** Commands of the history that handle a signal to stop themselves. */
const SELF_STOPPING_COMMANDS = [...LONG_COMMANDS, 'report', 'sql', 'ask'];

/**
 * Commands of the history that make something. The others are questions: they exit with 1 if what they ask about does
 * not exist.
 */
const MAKING_COMMANDS = ['export', 'sql', 'ask'];

type HistoryOptions = AroundDamageOption & Pick<SqlOptions, 'from' | 'copy' | 'keep'> & { readonly follow?: true };

/** @throws CliError for an option that `--around-damage` makes no sense with */
const prepareAroundDamage = (terminal: Terminal, command: Command): void => {
  const { aroundDamage, from, follow, copy, keep } = command.opts<HistoryOptions>();
  if (!aroundDamage) return;
  const others = { '--from <url>': from?.service, '--follow': follow, '--copy': copy, '--keep': keep };
  for (const [name, given] of Object.entries(others))
    if (given !== undefined)
      throw new CliError(`--around-damage is for files, of which it reads a copy; allowed without ${name}`);
  // Ended by the signal itself, a process would leave that copy.
  if (!SELF_STOPPING_COMMANDS.includes(command.name())) void terminal.nextSignal().then(() => terminal.endNow());
};

/** A long command runs when no other process wants the core, unless it locks the event log to record an act. */
const priorityOf = (command: Command): ProcessPriority => {
  const { personalData, from } = command.opts<PersonalDataOptions & { readonly from?: FromOption }>();
  const isRecorded = personalData === true && from?.service === undefined;
  return LONG_COMMANDS.includes(command.name()) && !isRecorded ? 'idle' : 'low';
};

/** The code of most commands is loaded when they are run. */
const createProgram = (terminal: Terminal, checked: ExitCodeWrapper, onQuestion: () => void): Command => {
  const { stdout, stderr } = terminal;
  const printText = (output: Output) => (text: string) => print(output, text.trimEnd().split('\n'));
  const program = new Command('hiring')
    .description(
      'An event-sourced service for hiring dental professionals. Configuration is by environment: docs/configuration.md.',
    )
    .addHelpText(
      'after',
      `
Examples:
  hiring serve                                        the service; with nothing configured, the demo on one file
  hiring init                                         begins the event log, once, where there is none
  hiring doctor                                       what a start would find
  hiring projections list                             where every projection stands
  hiring projections rebuild --all --dry-run          what a rebuild would do, and for how long
  hiring token --user u1 --office o1                  a bearer token for the office o1
  hiring history types                                what the event log holds
  hiring history show posting p1                      the whole story of the posting p1
  hiring history audit --since 2026-03-01             what operators did since then, and who
  hiring history at posting-candidates p1 --at 2026-03-01    the candidates of posting p1 as they were then
  hiring history replay mine.ts                       the rows that a projection of your own makes
  hiring history report --out report.html             what happened between saves and hires, in pictures`,
    )
    .hook('postAction', (_program, command) => {
      const view = consoleUrlOfCommand(command, loadTerminalEnvironment(terminal));
      if (view !== undefined) print(stderr, [`console: ${view}`]);
    })
    .exitOverride()
    .configureOutput({
      writeOut: printText(stdout),
      writeErr: printText(stderr),
      outputError: () => undefined,
      getOutHelpWidth: () => stdout.columns ?? 80,
      getErrHelpWidth: () => stderr.columns ?? 80,
    });

  program
    .command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .action(async () => (await import('./serve.ts')).serve(terminal));

  program
    .command('init')
    .description('begin the event log where there is none, and print its identity; production begins none by itself')
    .action(async () => (await import('./event-log/init.ts')).initEventLog(terminal));

  program
    .command('doctor')
    .description('say what a start would find, and what waits for an operator, each with the command that helps')
    .option('--backup-days <days>', 'how old the last backup may be', integerParser(1, 3_650), 7)
    .action(
      checked(async (options: DoctorOptions) => (await import('./doctor/doctor.ts')).runDoctor(terminal, options)),
    );

  program
    .command('check')
    .description('prove that what is stored is sound; exit code 1 with what is not, and where')
    .option('--deep', 'also compare all active builds with a rebuild')
    .option('--json', 'as JSON')
    .action(
      checked(async (options: CheckOptions) =>
        (await import('./event-log/check.ts')).checkAllStores(terminal, options),
      ),
    );

  addProjectionsCommands(program, terminal, checked);

  program
    .command('seed')
    .description('make a believable world through the command handlers; the same seed and size again adds nothing')
    .option('--candidates <number>', 'how many applications', integerParser(1, 10_000_000), 1_000)
    .option('--seed <number>', 'which world', integerParser(0, 4_294_967_295), 1)
    .action(async (options: SeedOptions) => (await import('./seed.ts')).seed(terminal, options));

  program
    .command('token')
    .description('print a bearer token signed with JWT_SECRET')
    .requiredOption('--user <id>', "the user's id", parseIdentifier)
    .option('--professional <id>', "the user's professional id", parseIdentifier)
    .option('--office <id>', "the user's office id", parseIdentifier)
    .option('--admin', 'with the role admin')
    .option('--analyst', 'with the role analyst, which may read the history')
    .option('--hours <number>', 'how long it is valid', integerParser(1, 8_760), 24)
    .action(async (options: TokenOptions) => (await import('./token.ts')).printToken(terminal, options));

  const history = program
    .command('history')
    .description('look into the event log')
    .hook('preAction', (_history, command) => {
      terminal.giveWay(priorityOf(command));
      prepareAroundDamage(terminal, command);
      if (!MAKING_COMMANDS.includes(command.name())) onQuestion();
    });
  addQuestionCommands(history, terminal, checked);
  history
    .command('audit')
    .description('show what operators and administrators did beside the domain, and who; oldest first')
    .option('--since <time>', 'a day (2026-03-01) or an RFC 3339 time; by default all of it', parseInstant)
    .option('--actor <actor>', 'the acts of one: a user id, or os:<name> for a user of the machine', parseActor)
    .option('--operation <name>', 'the acts of one kind, such as backup')
    .option('--from <url>', `${FROM_SERVICE_HELP} of an administrator`, parseFromServiceUrl)
    .option('--json', 'as JSON')
    .action(async (options: AuditOptions) => (await import('./history/audit.ts')).listAudit(terminal, options));

  addWarehouseCommands(history, terminal);
  addPersonCommand(history, terminal);
  addReplayCommand(history, terminal);
  addReportCommand(history, terminal);
  addExportCommand(history, terminal);
  for (const command of history.commands)
    command.option(
      '--around-damage',
      'of a damaged event log in a file: say what is lost, and read the rest, from a copy of it',
    );

  program
    .command('copy')
    .description('copy the whole event log from one store to another; after an interruption the same again goes on')
    .requiredOption('--from <url>', 'sqlite:<path> or esdb://…')
    .requiredOption('--to <url>', 'sqlite:<path> or esdb://…')
    .action(async (options: CopyOptions) => (await import('./event-log/copy.ts')).copy(terminal, options));

  program
    .command('backup')
    .description('write the event log as it is now into one file, beside a running service')
    .requiredOption('--to <file>', 'a new file; its manifest gets the same name and .json')
    .option('--salvage', 'of a damaged event log what can still be read; exit code 1 with what is lost')
    .action(
      checked(async (options: BackupOptions) => (await import('./event-log/backup.ts')).backup(terminal, options)),
    );

  program
    .command('restore')
    .description('put a backup in the place of the event log, while no service runs')
    .requiredOption('--from <file>', 'what hiring backup has written')
    .option('--replace', 'also where the event log holds what the backup does not; it is kept under another name')
    .action(async (options: RestoreOptions) => (await import('./event-log/restore.ts')).restore(terminal, options));
  return program;
};

/** An error that the operator can mend is one line, or one for each fault of the configuration, and exit code 2. */
const exitCodeOf = (thrown: unknown, { stderr }: Terminal, ifNotThere: 1 | 2): number => {
  const error = toCliError(thrown, ifNotThere);
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  if (error instanceof ConfigError) {
    print(
      stderr,
      error.faults.map((fault) => `hiring: ${fault}`),
    );
    return 2;
  }
  const isMendable =
    error instanceof CommanderError ||
    error instanceof DirectoryInUseError ||
    error instanceof CliError ||
    error instanceof LogRefusedError ||
    error instanceof StoreUnavailableError ||
    error instanceof UnusableFileError ||
    error instanceof UnusableServerError;
  if (!isMendable) {
    // Indented, so that no line of a message looks like one of its own.
    print(stderr, inspect(error).replaceAll('\n', '\n  ').split('\n'));
    return 1;
  }
  print(stderr, errorLines(error.message.replace(/^error: /, '')));
  return error instanceof CliError ? error.exitCode : 2;
};

/**
 * Runs one command. Resolves to its exit code: 0, 1 where a check fails, what is asked about is not there or on a
 * defect, 2 for what the operator can mend.
 */
export const runProgram = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  let code = 0;
  let ifNotThere: 1 | 2 = 2;
  const checked: ExitCodeWrapper =
    (act) =>
    async (...given) => {
      code = (await act(...given)) ? 0 : 1;
    };
  try {
    const asking = () => {
      ifNotThere = 1;
    };
    await createProgram(terminal, checked, asking).parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, terminal, ifNotThere);
  }
};
