import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { ServiceOverview } from '../builds/service-overview.ts';
import { START_POSITION, type EventLog } from '../event-store/port.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoreSettings } from '../stores.ts';
import type { ThreadMonitor } from './thread-monitor.ts';
import { readinessReasonText, type Readiness } from './readiness.ts';

export interface ServiceOverviewOptions {
  readonly stores: StoreSettings;
  readonly clock: Clock;
  readonly eventStore: Pick<EventLog, 'head'>;
  readonly readiness: () => Promise<Readiness>;
  readonly threads: Pick<ThreadMonitor, 'isAnswering'>;
  readonly lastBackup: (now: Date) => Promise<{ readonly requestedAt: string; readonly actor: string } | undefined>;
}

/** Less than an operator is willing to wait. */
const TIMEOUT_MS = 2_000;

/** What a look finds; null where it fails, or has not ended in time. */
const unlessLate = <T>(look: Promise<T>): Promise<T | null> => withTimeout(look, TIMEOUT_MS, 'late').catch(() => null);

/** Looks at the disk of a directory. While one look hangs, all callers wait for that one. */
const diskOf = (directory: string) => {
  let looking: Promise<ServiceOverview['disk']> | undefined;
  const look = async () => {
    const { bavail, blocks, bsize } = await statfs(directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  };
  return () => unlessLate((looking ??= look().finally(() => (looking = undefined))));
};

/** Tells of the service itself, whatever hangs or has ended. */
export const createServiceOverview = (options: ServiceOverviewOptions): (() => Promise<ServiceOverview>) => {
  const { stores, clock, eventStore, readiness, threads, lastBackup } = options;
  const startedAt = clock().toISOString();
  const file = [stores.eventStore, stores.readModels].find(({ kind }) => kind === 'sqlite');
  const disk = file && 'path' in file ? diskOf(dirname(resolve(file.path))) : () => null;
  const hasFile = stores.eventStore.kind === 'sqlite';
  const names = [...(hasFile ? ['writer' as const] : []), 'projector' as const, 'history' as const];

  return async () => {
    const [ready, head, space, backup] = await Promise.all([
      readiness(),
      unlessLate(eventStore.head()),
      disk(),
      hasFile ? unlessLate(lastBackup(clock())) : null,
    ]);
    return {
      startedAt,
      instance: `${hostname()}:${process.pid}`,
      status: ready.status,
      reason: ready.status === 'ready' ? null : readinessReasonText(ready),
      threads: names.map((name) => ({ name, isAnswering: threads.isAnswering(name) })),
      stores: { eventStore: stores.eventStore.kind, readModels: stores.readModels.kind },
      head: head === START_POSITION ? null : head,
      disk: space,
      lastBackup: backup ? { at: backup.requestedAt, actor: backup.actor } : null,
    };
  };
};
