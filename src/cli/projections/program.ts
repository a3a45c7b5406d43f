import { Option, type Command } from 'commander';
import {
  DEFAULT_KEEP_HOURS,
  MAX_KEEP_HOURS,
  MAX_BUILD_THREADS,
  MAX_THROTTLE_PER_SECOND,
} from '../../builds/build-schema.ts';
import { FROM_SERVICE_HELP, parseFromServiceUrl } from '../parts/from-option.ts';
import type { Terminal } from '../parts/terminal.ts';
import { hoursParser, integerParser, parseReason } from '../parts/option-parsers.ts';
import type { ListOptions } from './list.ts';
import type { RebuildOptions } from './rebuild.ts';
import type { ProjectionsCommandOptions } from './with-projections.ts';

const throttle = integerParser(1, MAX_THROTTLE_PER_SECOND);
const threads = integerParser(1, MAX_BUILD_THREADS);

/** Makes an action of a command that resolves to whether all is well; where it is not, the exit code is 1. */
export type ExitCodeWrapper = <Given extends unknown[]>(
  act: (...given: Given) => Promise<boolean>,
) => (...given: Given) => Promise<void>;

/** Commands that change which build is served, or that are hard to undo. */
const REASONED: readonly string[] = ['rebuild', 'rollback', 'cancel', 'skip', 'pause'];

// The code of a command is loaded when it is run.
const changes = () => import('./change.ts');
const parked = () => import('./parked.ts');
const rebuilds = () => import('./rebuild.ts');

/** `hiring projections …` */
export const addProjectionsCommands = (program: Command, terminal: Terminal, checked: ExitCodeWrapper): void => {
  const projections = program.command('projections').description('look after projections');
  projections
    .command('list')
    .description('say whether a service runs here, and show where every build of every projection stands')
    .addOption(new Option('--json', 'as JSON').conflicts('watch'))
    .option('--watch', 'again each second, until it is interrupted')
    .action(async (options: ListOptions) => (await import('./list.ts')).printProjectionList(terminal, options));
  projections
    .command('rebuild')
    .argument('[names...]', 'which projections')
    .description('build projections anew beside what is served, compare, and serve what was built')
    .option('--all', 'every projection, in one pass over the log')
    .option('--throttle <events>', 'apply so many events a second at most', throttle)
    .option('--threads <number>', 'apply events in so many threads, by default one for each core but one', threads)
    .option(
      '--keep <hours>',
      'keep what was served before for so long',
      hoursParser(0, MAX_KEEP_HOURS),
      DEFAULT_KEEP_HOURS,
    )
    .option('--approve', 'serve it even where it differs')
    .option('--tolerant', 'go on where an event cannot be applied: only its stream is parked')
    .option('--dry-run', 'only say what would be rebuilt, of how many events, and how long that takes')
    .option('--json', 'progress and outcome as lines of JSON')
    .action(
      checked(async (names: string[], options: RebuildOptions & { readonly dryRun?: true }) => {
        if (!options.dryRun) return (await rebuilds()).rebuildProjections(terminal, names, options);
        await (await import('./plan.ts')).planRebuilds(terminal, names, options);
        return true;
      }),
    );
  projections
    .command('verify')
    .argument('[names...]', 'which projections')
    .description('compare what is served with a rebuild from the log; exit code 1 when they differ')
    .option('--all', 'every projection')
    .option('--throttle <events>', 'apply so many events a second at most', throttle)
    .option('--json', 'progress and outcome as lines of JSON')
    .action(
      checked(async (names: string[], options: RebuildOptions) =>
        (await rebuilds()).verifyProjections(terminal, names, options),
      ),
    );
  const one = (name: string, description: string, act: 'pauseProjection' | 'resumeProjection') =>
    projections
      .command(name)
      .argument('<name>', 'which projection')
      .description(description)
      .action(async (projection: string, options: ProjectionsCommandOptions) =>
        (await changes())[act](terminal, projection, options),
      );
  projections
    .command('rollback')
    .argument('<name>', 'which projection')
    .description('serve what was served before the last rebuild; to go forward again takes --to')
    .option('--to <build>', 'serve this build; where it is served already, nothing changes')
    .action(async (name: string, options: ProjectionsCommandOptions & { to?: string }) =>
      (await changes()).rollBackProjection(terminal, name, options),
    );
  projections
    .command('cancel')
    .argument('[name]', 'which projection')
    .description('give up a rebuild; what is served stays')
    .option('--all', 'every build under way')
    .action(async (name: string | undefined, options: ProjectionsCommandOptions & { all?: true }) =>
      (await changes()).cancelRebuild(terminal, name, options),
    );
  const release = (kind: 'retry' | 'skip', which: string, description: string) =>
    projections
      .command(kind)
      .argument('[name]', 'which projection')
      .argument('[stream]', which)
      .description(description)
      .option('--all', 'every parked stream, of every projection where none is named')
      .action(
        checked(
          async (
            name: string | undefined,
            stream: string | undefined,
            options: ProjectionsCommandOptions & { all?: true },
          ) => (await parked()).releaseParked(terminal, kind, name, { ...options, stream }),
        ),
      );
  release('retry', 'which parked stream; all when left out', 'apply parked streams again, after a fix');
  release('skip', 'which parked stream', 'apply a parked stream without its poison event');
  one('pause', 'stop applying, on every instance, until it is resumed', 'pauseProjection');
  one('resume', 'go on applying', 'resumeProjection');
  for (const command of projections.commands) {
    command.option('--from <url>', `${FROM_SERVICE_HELP} of an administrator`, parseFromServiceUrl);
    if (REASONED.includes(command.name()))
      command.option('--reason <text>', 'why; it is recorded with the act', parseReason);
  }
};
