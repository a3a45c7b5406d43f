import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { EventStore, Position } from './event-store/port.ts';
import type { ProjectionStatus } from './projector-progress.ts';
import type { HostedProjector } from './projector-host.ts';

/** What `/metrics` tells, in Prometheus' text format; a registry of its own for each service. */
export const createMetrics = () => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const commands = new Counter({
    name: 'commands_total',
    help: 'Commands by outcome: done, refused or failed.',
    labelNames: ['command', 'outcome'] as const,
    registers,
  });
  const appends = new Histogram({
    name: 'event_store_append_duration_seconds',
    help: 'Time until an append was acknowledged as durable.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });

  const dropped = new Counter({
    name: 'event_store_subscriptions_dropped_total',
    help: 'Subscriptions of the log that the server has dropped; each begins anew where it was.',
    registers,
  });

  /** Asked at each scrape, so that a stuck projection shows. */
  const watchProjections = (projector: Pick<HostedProjector, 'status'>, eventStore: EventStore): void => {
    const labelNames = ['projection'] as const;
    new Gauge({
      name: 'projection_position',
      help: 'The log position that a projection has reached, as far as it is a number.',
      labelNames,
      registers,
      collect() {
        for (const { name, position } of projector.status())
          this.set({ projection: name }, Number(position.split('/')[0]));
      },
    });
    const lagOf = createLagProbe(eventStore);
    new Gauge({
      name: 'projection_lag_events',
      help: 'Events in the log that a projection has not seen yet; NaN while the log cannot be read.',
      labelNames,
      registers,
      async collect() {
        const set = async ({ name, position }: ProjectionStatus) =>
          this.set({ projection: name }, (await lagOf(position)).events);
        await Promise.all(projector.status().map(set));
      },
    });
    new Gauge({
      name: 'projection_lag_seconds',
      help: 'Age of the oldest event that a projection has not seen yet; NaN while the log cannot be read.',
      labelNames,
      registers,
      async collect() {
        const set = async ({ name, position }: ProjectionStatus) =>
          this.set({ projection: name }, (await lagOf(position)).seconds);
        await Promise.all(projector.status().map(set));
      },
    });
    new Gauge({
      name: 'projection_errors',
      help: 'Failures of a projection since the start.',
      labelNames,
      registers,
      collect() {
        for (const { name, errors } of projector.status()) this.set({ projection: name }, errors);
      },
    });
    new Gauge({
      name: 'projection_lease_since_seconds',
      help: 'When the holder of a projection took its lease, in seconds since 1970; only where processes share the work.',
      labelNames: ['projection', 'holder'] as const,
      registers,
      collect() {
        this.reset();
        for (const { name, lease } of projector.status())
          if (lease?.holder && lease.since)
            this.set({ projection: name, holder: lease.holder }, Date.parse(lease.since) / 1_000);
      },
    });
  };
  return { registry, requests, commands, appends, dropped, watchProjections };
};
export type Metrics = ReturnType<typeof createMetrics>;

interface Lag {
  readonly events: number;
  readonly seconds: number;
}
const UNKNOWN: Lag = { events: NaN, seconds: NaN };

/** Seconds since the first event after a position was recorded; 0 when there is none. */
export const lagSeconds = async (
  eventStore: Pick<EventStore, 'readAll'>,
  position: Position,
): Promise<number> => {
  const [next] = await eventStore.readAll(position, 1);
  const recordedAt = next?.metadata['recordedAt'];
  return typeof recordedAt === 'string' ? Math.max(0, (Date.now() - Date.parse(recordedAt)) / 1_000) : 0;
};

/** Looks once for all projections that stand at the same position and are asked for together. */
const createLagProbe = (eventStore: EventStore): ((position: Position) => Promise<Lag>) => {
  const looking = new Map<Position, Promise<Lag>>();
  const look = async (position: Position): Promise<Lag> => {
    const [events, seconds] = await Promise.all([
      eventStore.countAfter(position),
      lagSeconds(eventStore, position),
    ]);
    return { events, seconds };
  };
  return (position) => {
    const known = looking.get(position);
    if (known) return known;
    const lag = look(position).catch(() => UNKNOWN);
    looking.set(position, lag);
    void lag.finally(() => looking.delete(position));
    return lag;
  };
};
