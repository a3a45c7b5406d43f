import { existsSync } from 'node:fs';
import { projections } from '../../../projections/index.ts';
import type { BegunBuild, Operations } from '../../rebuilds/operations.ts';
import { activeBuild } from '../../build-registry/record.ts';
import { START } from '../../event-store/port.ts';
import { typesApplied } from '../../projector/projection.ts';
import { openLog, type EventStoreSettings, type LogBeside, type StoreSettings } from '../../stores.ts';
import { sayDropped } from '../parts/dropped.ts';
import type { Terminal } from '../parts/terminal.ts';
import { using } from '../parts/using.ts';
import { chosen, withOperations, withProjector } from './operating.ts';
import { isWell, outcomeText } from './report.ts';
import { watchBuilds } from './watch.ts';

export interface RebuildOptions {
  readonly all?: true;
  readonly throttle?: number;
  readonly threads?: number;
  readonly keep: number;
  readonly approve?: true;
  readonly tolerant?: true;
  readonly dryRun?: true;
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
  const outcomes = await withProjector(terminal, stores, (signal) =>
    watchBuilds(terminal, operations, awaited, isJson, signal),
  );
  for (const [name, outcome] of outcomes) {
    const text = isJson
      ? `${JSON.stringify({ projection: name, ...outcome })}\n`
      : outcomeText(name, outcome);
    terminal.stdout.write(text);
  }
  return [...outcomes.values()].every(isWell);
};

/** Opens what counts events, beside a service that may run. Where there is no event log, it makes none. */
const openCounts = async (
  terminal: Terminal,
  settings: EventStoreSettings,
): Promise<Pick<LogBeside, 'head' | 'countOf' | 'close'>> =>
  settings.kind === 'sqlite' && !existsSync(settings.path)
    ? {
        head: () => Promise.resolve(START),
        countOf: () => Promise.resolve(0),
        close: () => Promise.resolve(),
      }
    : openLog(settings, sayDropped(terminal));

/** What would be rebuilt, of how many events, and how long that takes at the last rate. */
const tellPlan = async (
  terminal: Terminal,
  operations: Operations,
  { eventStore }: StoreSettings,
  names: readonly string[],
  isJson: boolean,
): Promise<void> => {
  const records = await operations.all();
  await using(openCounts(terminal, eventStore), async (log) => {
    const head = await log.head();
    for (const projection of projections.filter(({ name }) => names.includes(name))) {
      const record = records.get(projection.name);
      const types = typesApplied([projection]);
      const events = await log.countOf(types, head);
      const perSecond = record?.perSecond ?? null;
      const seconds = perSecond === null || perSecond === 0 ? null : Math.ceil(events / perSecond);
      const live = record ? activeBuild(record).id : null;
      const plan = {
        projection: projection.name,
        version: projection.version,
        live,
        events,
        perSecond,
        seconds,
      };
      terminal.stdout.write(
        isJson
          ? `${JSON.stringify(plan)}\n`
          : `${projection.name}: version ${projection.version} beside ${live ?? 'nothing'}, ${events} events, ${seconds === null ? 'it is not known how long' : `about ${seconds} s at the last rate of ${perSecond ?? 0} a second`}\n`,
      );
    }
  });
};

/** `hiring projections rebuild`: builds projections anew beside the active builds, compares, and switches. */
export const rebuildProjections = (
  terminal: Terminal,
  names: readonly string[],
  options: RebuildOptions,
): Promise<boolean> =>
  withOperations(terminal, async (operations, stores) => {
    const wanted = chosen(names, options.all);
    const isJson = options.json === true;
    if (options.dryRun) {
      await tellPlan(terminal, operations, stores, wanted, isJson);
      return true;
    }
    const asked = {
      throttle: options.throttle ?? null,
      ...(options.threads !== undefined && { threads: options.threads }),
      keepHours: options.keep,
      isApproved: options.approve === true,
      isStrict: options.tolerant !== true,
    };
    return conclude(terminal, operations, stores, await operations.rebuildEach(wanted, asked), isJson);
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
