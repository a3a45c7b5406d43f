import { activeBuild, isOpen } from '../../builds/record.ts';
import type { RegistryRecord } from '../../builds/build.ts';
import { osActor } from '../../audit/os-actor.ts';
import { CliError } from '../parts/cli-error.ts';
import { print } from '../parts/print.ts';
import type { Terminal } from '../parts/terminal.ts';
import { chosen, withOperations } from './operating.ts';

/** `hiring projections rollback`: makes the build active again that was active before, or the one that is named. */
export const rollBack = (terminal: Terminal, name: string, { to }: { readonly to?: string }): Promise<void> =>
  withOperations(terminal, async ({ rollBack: back }) =>
    print(terminal.stdout, `${name}: ${activeBuild(await back(name, to)).id} is served`),
  );

const isUnderWay = (record: RegistryRecord | undefined): boolean =>
  record?.builds.some((build) => build.id !== record.active && isOpen(build)) === true;

/** `hiring projections cancel`: gives up the builds under way; the active ones stay as they are. */
export const cancelRebuild = (
  terminal: Terminal,
  name: string | undefined,
  { all }: { readonly all?: true },
): Promise<void> =>
  withOperations(terminal, async ({ cancel, all: records }) => {
    let names = chosen(name === undefined ? [] : [name], all);
    if (all) {
      const found = await records();
      names = names.filter((each) => isUnderWay(found.get(each)));
      if (names.length === 0) throw new CliError('No build is under way');
    }
    for (const each of names) {
      await cancel(each);
      print(terminal.stdout, `${each}: given up`);
    }
  });

/** `hiring projections pause`: no instance applies events to a projection until it is resumed. */
export const pauseProjection = (terminal: Terminal, name: string): Promise<void> =>
  withOperations(terminal, async ({ pause }) => {
    const { paused } = await pause(name, osActor());
    print(terminal.stdout, `${name}: paused since ${paused?.since ?? ''} by ${paused?.by ?? ''}`);
  });

/** `hiring projections resume`: goes on where it was paused. */
export const resumeProjection = (terminal: Terminal, name: string): Promise<void> =>
  withOperations(terminal, async ({ resume }) => {
    await resume(name);
    print(terminal.stdout, `${name}: resumed`);
  });
