import { existsSync } from 'node:fs';
import { projections } from '../../../projections/index.ts';
import { planRebuild, type RebuildPlan } from '../../builds/plan.ts';
import type { ProjectionBuilds } from '../../builds/build-schema.ts';
import {
  openBuildRegistry,
  openConcurrentEventLog,
  refuseUnusableStores,
  buildRegistryFileOf,
  type StoreSettings,
} from '../../stores.ts';
import { loadExistingLogConfig } from '../parts/event-file.ts';
import { refuseUnknownLog } from '../parts/known-log.ts';
import { createDroppedSubscriptionReporter } from '../parts/dropped-subscription.ts';
import type { Terminal } from '../parts/terminal.ts';
import { using } from '../../lib/using.ts';
import type { RebuildOptions } from './rebuild.ts';
import { fetchRebuildPlan } from './service-projections.ts';
import { chosenProjections } from './with-projections.ts';
import { print, printJson } from '../parts/print.ts';

/** None before the first start. */
const recordsIn = async ({ readModels }: StoreSettings): Promise<ReadonlyMap<string, ProjectionBuilds>> =>
  readModels.kind === 'sqlite' && !existsSync(buildRegistryFileOf(readModels))
    ? new Map()
    : using(openBuildRegistry(readModels), (registry) => registry.all());

type PrintPlan = (plan: RebuildPlan) => void;

/** Reads beside the service that may be running, and makes no file. */
const planOnStores = async (terminal: Terminal, wanted: readonly string[], printPlan: PrintPlan): Promise<void> => {
  const config = loadExistingLogConfig(terminal);
  const { stores } = config;
  await refuseUnusableStores(stores);
  await refuseUnknownLog(config);
  const records = await recordsIn(stores);
  await using(openConcurrentEventLog(stores.eventStore, createDroppedSubscriptionReporter(terminal)), async (log) => {
    for (const projection of projections.filter(({ name }) => wanted.includes(name)))
      printPlan(await planRebuild(projection, records.get(projection.name), log));
  });
};

/**
 * `hiring projections rebuild --dry-run`: what would be rebuilt, of how many events, and how long that takes at the
 * last rate.
 */
export const planRebuilds = async (
  terminal: Terminal,
  names: readonly string[],
  { all, json, from }: Pick<RebuildOptions, 'all' | 'json' | 'from'>,
): Promise<void> => {
  const [wanted, url] = [chosenProjections(names, all), from?.service];
  const printPlan: PrintPlan = (plan) => {
    const { projection, version, live, events, perSecond, seconds } = plan;
    const time =
      seconds === null
        ? 'it is not known how long'
        : `about ${seconds} s at the last rate of ${perSecond ?? 0} a second`;
    const line = `${projection}: version ${version} beside ${live ?? 'nothing'}, ${events} events, ${time}`;
    if (json) printJson(terminal.stdout, plan);
    else print(terminal.stdout, line);
  };
  if (url === undefined) return planOnStores(terminal, wanted, printPlan);
  for (const name of wanted) printPlan(await fetchRebuildPlan(terminal, url, name));
};
