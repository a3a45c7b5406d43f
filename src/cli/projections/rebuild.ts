import type { BegunBuild, Operations } from '../../builds/operations.ts';
import type { StoreSettings } from '../../stores.ts';
import type { Terminal } from '../parts/terminal.ts';
import { chosen, withOperations, withProjector } from './operating.ts';
import { parkedLines, shownParked } from './parked.ts';
import { isWell, outcomeLines } from './report.ts';
import { watchBuilds } from './watch.ts';
import { print, printJson } from '../parts/print.ts';

export interface RebuildOptions {
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
  operations: Operations,
  stores: StoreSettings,
  awaited: readonly BegunBuild[],
  isJson: boolean,
): Promise<boolean> => {
  const buildOf = new Map(awaited.map(({ name, build }) => [name, build]));
  const outcomes = await withProjector(terminal, stores, (signal) =>
    watchBuilds(terminal, operations, awaited, { isJson, signal }),
  );
  const { stdout } = terminal;
  const parkedByBuild = await operations.parked();
  for (const [name, outcome] of outcomes) {
    const build = buildOf.get(name) ?? '';
    const parked = parkedByBuild.get(build)?.parked ?? [];
    if (isJson) printJson(stdout, { projection: name, ...outcome, parked: parked.map(shownParked) });
    else print(stdout, [...outcomeLines(name, outcome), ...parkedLines(build, parked)]);
  }
  return [...outcomes.values()].every(isWell);
};

/** `hiring projections rebuild`: builds projections anew beside the active builds, compares, and switches. */
export const rebuildProjections = (
  terminal: Terminal,
  names: readonly string[],
  options: RebuildOptions,
): Promise<boolean> =>
  withOperations(terminal, async (operations, stores) => {
    const wanted = chosen(names, options.all);
    const asked = {
      throttle: options.throttle ?? null,
      ...(options.threads !== undefined && { threads: options.threads }),
      keepHours: options.keep,
      isApproved: options.approve === true,
      isStrict: options.tolerant !== true,
    };
    const begun = await operations.rebuildEach(wanted, asked);
    return conclude(terminal, operations, stores, begun, options.json === true);
  });

/** `hiring projections verify`: compares the active builds with a rebuild, which is dropped again. */
export const verifyProjections = (
  terminal: Terminal,
  names: readonly string[],
  { all, throttle, json }: Pick<RebuildOptions, 'all' | 'throttle' | 'json'>,
): Promise<boolean> =>
  withOperations(terminal, async (operations, stores) => {
    const awaited = await operations.verifyEach(chosen(names, all), throttle ?? null);
    return conclude(terminal, operations, stores, awaited, json === true);
  });
