import { isBuildOpen } from '../../builds/projection-builds.ts';
import type { ProjectionBuildsSummary } from '../../builds/build-schema.ts';
import { CliError } from '../parts/cli-error.ts';
import { print } from '../parts/print.ts';
import type { Terminal } from '../parts/terminal.ts';
import type { ProjectionsPort } from './port.ts';
import { chosenProjections, withProjections, type ProjectionsCommandOptions } from './with-projections.ts';

/**
 * Changes one projection, and prints what `change` gives. @throws CliError for an unknown one, and what `change` throws
 */
const changeOne = async (
  terminal: Terminal,
  name: string,
  options: ProjectionsCommandOptions,
  change: (port: ProjectionsPort) => Promise<string>,
): Promise<void> => {
  chosenProjections([name], false);
  const outcome = await withProjections(terminal, options, change);
  print(terminal.stdout, `${name}: ${outcome}`);
};

/** `hiring projections rollback`: makes the build active again that was active before, or the one that is named. */
export const rollBackProjection = (
  terminal: Terminal,
  name: string,
  { to, ...options }: ProjectionsCommandOptions & { readonly to?: string },
): Promise<void> =>
  changeOne(terminal, name, options, async (port) => `${(await port.rollBack(name, to)).active} is served`);

const isUnderWay = (record: ProjectionBuildsSummary | undefined): boolean =>
  record?.builds.some((build) => build.id !== record.active && isBuildOpen(build)) === true;

/** `hiring projections cancel`: gives up the builds under way; the active ones stay as they are. */
export const cancelRebuild = (
  terminal: Terminal,
  name: string | undefined,
  { all, ...options }: ProjectionsCommandOptions & { readonly all?: true },
): Promise<void> =>
  withProjections(terminal, options, async (port) => {
    let names = chosenProjections(name === undefined ? [] : [name], all);
    if (all) {
      const found = await port.all();
      names = names.filter((each) => isUnderWay(found.get(each)));
      if (names.length === 0) throw new CliError('No build is under way');
    }
    for (const each of names) {
      await port.cancel(each);
      print(terminal.stdout, `${each}: given up`);
    }
  });

/** `hiring projections pause`: no instance applies events to a projection until it is resumed. */
export const pauseProjection = (terminal: Terminal, name: string, options: ProjectionsCommandOptions): Promise<void> =>
  changeOne(terminal, name, options, async (port) => {
    const { paused } = await port.pause(name);
    return `paused since ${paused?.since ?? ''} by ${paused?.by ?? ''}`;
  });

/** `hiring projections resume`: goes on where it was paused. */
export const resumeProjection = (terminal: Terminal, name: string, options: ProjectionsCommandOptions): Promise<void> =>
  changeOne(terminal, name, options, async (port) => {
    await port.resume(name);
    return 'resumed';
  });
