import { projections } from '../../../projections/index.ts';
import type { BegunBuild, Operations } from '../../rebuilds/operations.ts';
import { activeBuild } from '../../build-registry/record.ts';
import { typesApplied } from '../../projector/projection.ts';
import { openEventStore, type StoreSettings } from '../../stores.ts';
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

/** Waits for builds, tells how each came out, and sets exit code 1 unless all are well. */
const conclude = async (
  operations: Operations,
  stores: StoreSettings,
  awaited: readonly BegunBuild[],
  isJson: boolean,
): Promise<void> => {
  const outcomes = await withProjector(stores, (signal) => watchBuilds(operations, awaited, isJson, signal));
  for (const [name, outcome] of outcomes) {
    const text = isJson
      ? `${JSON.stringify({ projection: name, ...outcome })}\n`
      : outcomeText(name, outcome);
    process.stdout.write(text);
    if (!isWell(outcome)) process.exitCode = 1;
  }
};

/** What would be rebuilt, of how many events, and how long that takes at the last rate. */
const tellPlan = async (
  operations: Operations,
  stores: StoreSettings,
  names: readonly string[],
  isJson: boolean,
): Promise<void> => {
  const entries = await operations.all();
  const log = await openEventStore(stores.eventStore);
  try {
    const head = await log.head();
    for (const projection of projections.filter(({ name }) => names.includes(name))) {
      const entry = entries.get(projection.name);
      const types = typesApplied([projection]);
      const events = await log.countOf(types, head);
      const perSecond = entry?.perSecond ?? null;
      const seconds = perSecond === null || perSecond === 0 ? null : Math.ceil(events / perSecond);
      const live = entry ? activeBuild(entry).id : null;
      const plan = {
        projection: projection.name,
        version: projection.version,
        live,
        events,
        perSecond,
        seconds,
      };
      process.stdout.write(
        isJson
          ? `${JSON.stringify(plan)}\n`
          : `${projection.name}: version ${projection.version} beside ${live ?? 'nothing'}, ${events} events, ${seconds === null ? 'it is not known how long' : `about ${seconds} s at the last rate of ${perSecond ?? 0} a second`}\n`,
      );
    }
  } finally {
    await log.close();
  }
};

/** `hiring projections rebuild`: builds projections anew beside the active builds, compares, and switches. */
export const rebuildProjections = (names: readonly string[], options: RebuildOptions): Promise<void> =>
  withOperations(async (operations, stores) => {
    const wanted = chosen(names, options.all);
    const isJson = options.json === true;
    if (options.dryRun) {
      await tellPlan(operations, stores, wanted, isJson);
      return;
    }
    const asked = {
      throttle: options.throttle ?? null,
      ...(options.threads !== undefined && { threads: options.threads }),
      keepHours: options.keep,
      isApproved: options.approve === true,
      isStrict: options.tolerant !== true,
    };
    await conclude(operations, stores, await operations.rebuildEach(wanted, asked), isJson);
  });

/** `hiring projections verify`: compares the active builds with a rebuild, which is dropped again. */
export const verifyProjections = (
  names: readonly string[],
  { all, throttle, json }: Pick<RebuildOptions, 'all' | 'throttle' | 'json'>,
): Promise<void> =>
  withOperations(async (operations, stores) => {
    const awaited = await operations.verifyEach(chosen(names, all), throttle ?? null);
    await conclude(operations, stores, awaited, json === true);
  });
