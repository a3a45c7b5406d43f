import { existsSync } from 'node:fs';
import { projections } from '../../../projections/index.ts';
import { planRebuild } from '../../builds/plan.ts';
import type { RegistryRecord } from '../../builds/build.ts';
import {
  openBuildRegistry,
  openLog,
  refuseUnusable,
  registryFile,
  type StoreSettings,
} from '../../stores.ts';
import { logConfigOf } from '../parts/event-file.ts';
import { refuseUnknownLog } from '../parts/known-log.ts';
import { reportDroppedSubscription } from '../parts/dropped-subscription.ts';
import type { Terminal } from '../parts/terminal.ts';
import { using } from '../../lib/using.ts';
import { chosen } from './operating.ts';
import type { RebuildOptions } from './rebuild.ts';
import { print, printJson } from '../parts/print.ts';

/** None before the first start. */
const recordsIn = async ({ readModels }: StoreSettings): Promise<ReadonlyMap<string, RegistryRecord>> =>
  readModels.kind === 'sqlite' && !existsSync(registryFile(readModels))
    ? new Map()
    : using(openBuildRegistry(readModels), (registry) => registry.all());

/**
 * `hiring projections rebuild --dry-run`: what would be rebuilt, of how many events, and how long that takes at the last
 * rate. It reads beside the service that may be running, and makes no file.
 */
export const planRebuilds = async (
  terminal: Terminal,
  names: readonly string[],
  { all, json }: Pick<RebuildOptions, 'all' | 'json'>,
): Promise<void> => {
  const config = logConfigOf(terminal);
  const { stores } = config;
  await refuseUnusable(stores);
  await refuseUnknownLog(config);
  const wanted = chosen(names, all);
  const records = await recordsIn(stores);
  await using(openLog(stores.eventStore, reportDroppedSubscription(terminal)), async (log) => {
    for (const projection of projections.filter(({ name }) => wanted.includes(name))) {
      const plan = await planRebuild(projection, records.get(projection.name), log);
      const { version, live, events, perSecond, seconds } = plan;
      const time =
        seconds === null
          ? 'it is not known how long'
          : `about ${seconds} s at the last rate of ${perSecond ?? 0} a second`;
      const { stdout } = terminal;
      if (json) printJson(stdout, plan);
      else
        print(
          stdout,
          `${plan.projection}: version ${version} beside ${live ?? 'nothing'}, ${events} events, ${time}`,
        );
    }
  });
};
