import { existsSync } from 'node:fs';
import { using } from '../lib/using.ts';
import { systemClock } from '../ports/clock.ts';
import { openBuildRegistry, buildRegistryFileOf } from '../stores.ts';
import type { LogFinding } from './examine.ts';

/**
 * Notes in the build registry what an event log lacks, before builds are made anew and no longer show it. Not in the
 * event log: a file that has changed does not take back the `-wal` that it lacks. Of two losses the later one is kept:
 * once its last event is back, so is all before it.
 *
 * @throws StoreUnavailableError, UnusableFileError
 */
export const registerLogLoss = async (finding: LogFinding): Promise<void> => {
  const { stores, comparison, first, lack, logLoss } = finding;
  const { readModels } = stores;
  if (comparison.kind !== 'older' || !first || lack === undefined) return;
  const last = comparison.lacks;
  if (logLoss && logLoss.last.position >= last.position) return;
  // The projector tells of a missing registry, and makes another.
  if (readModels.kind === 'sqlite' && !existsSync(buildRegistryFileOf(readModels))) return;
  const lost = { log: first.id, last, foundAt: systemClock().toISOString(), text: lack };
  await using(openBuildRegistry(readModels), (registry) => registry.noteLogLoss(lost));
};
