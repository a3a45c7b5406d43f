import { parseProjectionBuilds, toStoredRecord, type BuildRegistry, type LogLoss } from '../../src/builds/registry.ts';
import type { EventPointer } from '../../src/event-store/port.ts';
import type { ProjectionBuilds } from '../../src/builds/build-schema.ts';

/** The records, which outlive the build registries that are opened on them. */
export type MemoryRecords = Map<string, unknown>;

const logs = new WeakMap<MemoryRecords, EventPointer>();
const losses = new WeakMap<MemoryRecords, LogLoss>();

/** A build registry in memory, for tests; it passes the contract suite. */
export const openMemoryBuildRegistry = (kept: MemoryRecords = new Map<string, unknown>()): BuildRegistry => ({
  all: () =>
    Promise.resolve().then(() => new Map([...kept].map(([name, record]) => [name, parseProjectionBuilds(record)]))),
  change: (name, act) =>
    Promise.resolve().then(() => {
      const before = kept.get(name);
      const after: ProjectionBuilds = act(before === undefined ? undefined : parseProjectionBuilds(before));
      kept.set(name, structuredClone(toStoredRecord(after)));
      return after;
    }),
  firstOfLog: () => Promise.resolve(logs.get(kept)),
  noteFirstEvent(first) {
    if (first) logs.set(kept, first);
    else logs.delete(kept);
    return Promise.resolve();
  },
  logLoss: () => Promise.resolve(losses.get(kept)),
  noteLogLoss(lost) {
    losses.set(kept, lost);
    return Promise.resolve();
  },
  close: () => Promise.resolve(),
});
