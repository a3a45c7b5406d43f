import { recordedAtOf } from '../event-store/identity.ts';
import type { EventLog, LogEventCounter, Position } from '../event-store/port.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProjectionStatus } from '../projector/progress.ts';

export interface Lag {
  /** Events that it has not applied yet; NaN while the event log cannot be read. */
  readonly events: number;
  /** Age of the oldest of them; NaN where it is unknown. */
  readonly seconds: number;
  /** How long it has been behind a head that the event log had; 0 while it is not behind. */
  readonly lateSeconds: number;
  /** For how much of that time it has not moved at all. */
  readonly stillSeconds: number;
}
const UNKNOWN: Lag = { events: NaN, seconds: NaN, lateSeconds: NaN, stillSeconds: NaN };

/** By projection. */
type Lags = ReadonlyMap<string, Lag>;

type Log = Pick<EventLog, 'head' | 'readAll'> & Pick<LogEventCounter, 'countAfter'>;

export interface LagMonitorOptions {
  readonly eventStore: Log;
  readonly status: () => readonly Pick<ProjectionStatus, 'name' | 'position'>[];
  /** The clock by which events are recorded. */
  readonly clock: Clock;
  /** Milliseconds of this process, which no setting of the clock changes. */
  readonly elapsed?: () => number;
  /** How long the event log may take to answer: less than a scrape may take. */
  readonly withinMs?: number;
}

const EVERY_MS = 5_000;
const TIMEOUT_MS = 3_000;
/** Less than a health check waits, which takes a slow answer for none. */
const GLANCE_MS = 250;

const measureAfter = async (log: Log, position: Position, head: Position, now: number) => {
  if (position >= head) return { events: 0, seconds: 0 };
  const events = await log.countAfter(position);
  if (events === 0) return { events, seconds: 0 };
  const [next] = await log.readAll(position, 1);
  return { events, seconds: Math.max(0, (now - Date.parse(recordedAtOf(next) ?? '')) / 1_000) };
};

interface Sight {
  readonly name: string;
  readonly position: Position;
  readonly isBehind: boolean;
  readonly head: Position;
  /** In milliseconds of this process. */
  readonly now: number;
}

/**
 * Measures how long projections have been late. Not by the times of events, which are long past in a copied or seeded
 * history: a projection that is behind with those for a moment is not late.
 */
const createLateness = () => {
  /** The event log's head when a projection was first seen to be behind it. */
  const awaited = new Map<string, { readonly head: Position; readonly since: number }>();
  const moved = new Map<string, { readonly position: Position; readonly at: number }>();
  return ({ name, position, isBehind, head, now }: Sight) => {
    const last = moved.get(name);
    const movedAt = last?.position === position ? last.at : now;
    moved.set(name, { position, at: movedAt });
    const before = awaited.get(name);
    if (before && (!isBehind || position >= before.head)) awaited.delete(name);
    if (isBehind && !awaited.has(name)) awaited.set(name, { head, since: now });
    const { since = now } = awaited.get(name) ?? {};
    return { lateSeconds: (now - since) / 1_000, stillSeconds: (now - Math.max(since, movedAt)) / 1_000 };
  };
};

/**
 * Measures how far projections are behind the head of the event log, every few seconds and when asked. It uses nothing
 * of the projector but the checkpoints, so that the lag of a dead or stuck one grows.
 */
export const startLagMonitor = ({
  eventStore,
  status,
  clock,
  elapsed = () => performance.now(),
  withinMs = TIMEOUT_MS,
}: LagMonitorOptions) => {
  const latenessOf = createLateness();

  const measure = async (): Promise<Lags> => {
    const all = status();
    const [now, ownNow] = [clock().getTime(), elapsed()];
    const head = await eventStore.head();
    const measuring = new Map<Position, ReturnType<typeof measureAfter>>();
    // Projections at the same position are counted once.
    for (const { position } of all)
      if (!measuring.has(position)) measuring.set(position, measureAfter(eventStore, position, head, now));
    const lags = all.map(async ({ name, position }) => {
      const { events, seconds } = (await measuring.get(position)) ?? UNKNOWN;
      const late = latenessOf({ name, position, isBehind: events > 0, head, now: ownNow });
      return [name, { events, seconds, ...late }] as const;
    });
    return new Map(await Promise.all(lags));
  };

  let last: Lags = new Map();
  let looking: Promise<Lags> | undefined;
  /** Measures now; concurrent callers share one measurement. Never rejects: what is not known in time is NaN. */
  const look = async (): Promise<Lags> => {
    looking ??= measure().finally(() => (looking = undefined));
    try {
      last = await withTimeout(looking, withinMs, 'The log does not answer');
    } catch {
      last = new Map(status().map(({ name }) => [name, UNKNOWN]));
    }
    return last;
  };

  const timer = setInterval(() => void look(), EVERY_MS);
  timer.unref();
  return {
    look,
    /** The same when that takes no longer than a moment, or else the last result. */
    glance: (): Promise<Lags> => withTimeout(look(), GLANCE_MS, 'later').catch(() => last),
    async stop(): Promise<void> {
      clearInterval(timer);
      if (looking) await look();
    },
  };
};
export type LagMonitor = ReturnType<typeof startLagMonitor>;
