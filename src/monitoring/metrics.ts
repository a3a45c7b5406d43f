import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Lag, LagWatch } from './lag-watch.ts';
import type { HostedProjector } from '../projector-threads/host.ts';
import type { ProjectionStatus } from '../projector/progress.ts';

let ofProcess: Registry | undefined;

/** Of the process's memory, event loop and garbage collector: made once, since what measures them never ends. */
const processMetrics = (): Registry => {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  return ofProcess;
};

/** The metrics of `/metrics`, in Prometheus' text format; each service has a registry of its own. */
export const createMetrics = () => {
  const registry = Registry.merge([processMetrics()]);
  const registers = [registry];

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
  const notices = new Counter({
    name: 'phone_change_notices_total',
    help: 'Messages to users whose phone number was changed, by channel and outcome: delivered, failed or rate_limited.',
    labelNames: ['channel', 'outcome'] as const,
    registers,
  });
  // From the start, so that the first failure is a change that an alert can see.
  for (const channel of ['sms', 'mail'])
    for (const outcome of ['delivered', 'failed', 'rate_limited']) notices.inc({ channel, outcome }, 0);
  const webhookTries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Tries to deliver an event to a webhook by this process, by outcome: delivered or failed.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of ['delivered', 'failed']) webhookTries.inc({ outcome }, 0);
  /** Read at each scrape. */
  const watchWebhooks = (
    figures: () => { readonly waiting: number; readonly parked: number; readonly stopped: number },
  ): void => {
    const gauge = (name: string, help: string, valueOf: (now: ReturnType<typeof figures>) => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(valueOf(figures()));
        },
      });
    const here = 'of webhooks that this process delivers';
    gauge(
      'webhook_waiting_entities',
      `Entities ${here} whose events are tried again.`,
      ({ waiting }) => waiting,
    );
    gauge(
      'webhook_parked_entities',
      `Entities ${here} whose events were given up until a replay.`,
      ({ parked }) => parked,
    );
    gauge(
      'webhook_stopped',
      'Webhooks that this process delivers nothing of until a replay, since the event log is not the one that they have seen.',
      ({ stopped }) => stopped,
    );
  };
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

  const writerRestarts = new Counter({
    name: 'event_store_writer_restarts_total',
    help: 'Times that the thread that writes the log has ended by itself; each time another one is started.',
    registers,
  });

  const hungThreads = new Gauge({
    name: 'thread_hung',
    help: '1 while a thread has not answered for 10 seconds, 0 while it answers: writer (of the log), projector, history.',
    labelNames: ['thread'] as const,
    registers,
  });
  for (const thread of ['writer', 'projector', 'history']) hungThreads.set({ thread }, 0);
  const damages = new Gauge({
    name: 'event_log_damages',
    help: 'Damaged places of the log that were found since the start, up to 100; 0 for a sound one.',
    registers,
  });

  const restarts = new Counter({
    name: 'projector_restarts_total',
    help: 'Times that the thread of the projector has ended by itself; each time another one is started.',
    registers,
  });

  /** Read at each scrape, so that a stuck projection shows. */
  const watchProjections = (
    projector: Pick<HostedProjector, 'status'>,
    lags: Pick<LagWatch, 'look'>,
  ): void => {
    const labelNames = ['projection'] as const;
    /** A number of each projection; none of one that gives undefined. */
    const gauge = (name: string, help: string, valueOf: (status: ProjectionStatus) => number | undefined) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          for (const status of projector.status()) {
            const value = valueOf(status);
            if (value !== undefined) this.set({ projection: status.name }, value);
          }
        },
      });
    const lagGauge = (name: string, help: string, valueOf: (lag: Lag) => number) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          for (const [projection, lag] of await lags.look()) this.set({ projection }, valueOf(lag));
        },
      });
    gauge(
      'projection_position',
      'The log position that a projection has reached, as far as it is a number.',
      ({ position }) => Number(position.split('/')[0]),
    );
    lagGauge(
      'projection_lag_events',
      'Events in the log that a projection has not seen yet; NaN while the log cannot be read.',
      ({ events }) => events,
    );
    lagGauge(
      'projection_lag_seconds',
      'Age of the oldest event that a projection has not seen yet; NaN while the log cannot be read.',
      ({ seconds }) => seconds,
    );
    gauge('projection_errors', 'Failures of a projection since the start.', ({ errors }) => errors);
    gauge(
      'projection_quarantined_streams',
      'Parked streams, since an event of theirs cannot be applied.',
      ({ parked = [] }) => parked.length,
    );
    gauge(
      'projection_lease_held',
      '1 while a process keeps the projection, 0 while none does; only where processes share the work.',
      ({ lease }) => lease && (lease.holder === null ? 0 : 1),
    );
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
  return {
    registry,
    requests,
    commands,
    notices,
    webhookTries,
    watchWebhooks,
    appends,
    dropped,
    writerRestarts,
    hungThreads,
    damages,
    restarts,
    watchProjections,
  };
};
export type Metrics = ReturnType<typeof createMetrics>;
