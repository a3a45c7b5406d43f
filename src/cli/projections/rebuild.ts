import type { BegunBuild } from '../../builds/operations.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import type { Terminal } from '../parts/terminal.ts';
import { parkedLines } from './parked.ts';
import type { ProjectionsPort } from './port.ts';
import { isBuildSuccessful, outcomeLines } from './report.ts';
import { watchBuilds } from './watch.ts';
import { chosenProjections, withProjections, type ProjectionsCommandOptions } from './with-projections.ts';
import { print, printJson } from '../parts/print.ts';

export interface RebuildOptions extends ProjectionsCommandOptions {
  readonly all?: true;
  readonly throttle?: number;
  readonly threads?: number;
  readonly keep: number;
  readonly approve?: true;
  readonly tolerant?: true;
  readonly json?: true;
}

/** Waits for builds, and tells how each came out. Resolves to whether all are well. */
const conclude = async (
  terminal: Terminal,
  port: ProjectionsPort,
  awaited: readonly BegunBuild[],
  isJson: boolean,
): Promise<boolean> => {
  const buildOf = new Map(awaited.map(({ name, build }) => [name, build]));
  const outcomes = await port.whileWorking((signal) => watchBuilds(terminal, port, awaited, { isJson, signal }));
  const { stdout } = terminal;
  const { parked: parkedByBuild } = await port.state();
  for (const [name, outcome] of outcomes) {
    const build = buildOf.get(name) ?? '';
    const parked = (parkedByBuild.get(build) ?? []).map(({ at: _, request: __, stack: ___, ...shown }) => shown);
    if (isJson) printJson(stdout, { projection: name, ...outcome, parked });
    else print(stdout, [...outcomeLines(name, outcome), ...parkedLines(build, parked)]);
  }
  return [...outcomes.values()].every(isBuildSuccessful);
};

/** `hiring projections rebuild`: builds projections anew beside the active builds, compares, and switches. */
export const rebuildProjections = (
  terminal: Terminal,
  names: readonly string[],
  options: RebuildOptions,
): Promise<boolean> =>
  withProjections(terminal, options, async (port) => {
    const wanted = chosenProjections(names, options.all);
    const request = {
      throttle: options.throttle ?? null,
      ...omitUndefined({ threads: options.threads }),
      keepHours: options.keep,
      isApproved: options.approve === true,
      isStrict: options.tolerant !== true,
    };
    return conclude(terminal, port, await port.rebuild(wanted, request), options.json === true);
  });

/** `hiring projections verify`: compares the active builds with a rebuild, which is dropped again. */
export const verifyProjections = (
  terminal: Terminal,
  names: readonly string[],
  { all, throttle, json, from }: Pick<RebuildOptions, 'all' | 'throttle' | 'json' | 'from'>,
): Promise<boolean> =>
  withProjections(terminal, { from }, async (port) => {
    const awaited = await port.verify(chosenProjections(names, all), throttle ?? null);
    return conclude(terminal, port, awaited, json === true);
  });
