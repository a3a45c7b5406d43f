import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Lag, LagMonitor } from './lag-monitor.ts';
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

  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  /** @param read called at each scrape; left out for a number that is set when it changes */
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    read?: (each: Gauge<Label>) => void | Promise<void>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      ...(read && {
        collect(this: Gauge<Label>) {
          return read(this);
        },
      }),
    });

  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const commands = counter('commands_total', 'Commands by outcome: done, refused or failed.', ['command', 'outcome']);
  const notices = counter(
    'phone_change_notices_total',
    'Messages to users whose phone number was changed, by channel and outcome: delivered, failed or rate_limited.',
    ['channel', 'outcome'],
  );
  // From the start, so that the first failure is a change that an alert can see.
  for (const channel of ['sms', 'mail'])
    for (const outcome of ['delivered', 'failed', 'rate_limited']) notices.inc({ channel, outcome }, 0);
  const webhookTries = counter(
    'webhook_deliveries_total',
    'Tries to deliver an event to a webhook by this process, by outcome: delivered or failed.',
    ['outcome'],
  );
  for (const outcome of ['delivered', 'failed']) webhookTries.inc({ outcome }, 0);
  const watchWebhooks = (
    figures: () => { readonly waiting: number; readonly parked: number; readonly stopped: number },
  ): void => {
    const here = 'of webhooks that this process delivers';
    gauge('webhook_waiting_entities', `Entities ${here} whose events are tried again.`, [], (each) =>
      each.set(figures().waiting),
    );
    gauge('webhook_parked_entities', `Entities ${here} whose events were given up until a replay.`, [], (each) =>
      each.set(figures().parked),
    );
    gauge(
      'webhook_stopped',
      'Webhooks that this process delivers nothing of until a replay, since the event log is not the one that they have seen.',
      [],
      (each) => each.set(figures().stopped),
    );
  };
  const appends = new Histogram({
    name: 'event_store_append_duration_seconds',
    help: 'Time until an append was acknowledged as durable.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  const dropped = counter(
    'event_store_subscriptions_dropped_total',
    'Subscriptions of the log that the server has dropped; each begins anew where it was.',
  );
  const writerRestarts = counter(
    'event_store_writer_restarts_total',
    'Times that the thread that writes the log has ended by itself; each time another one is started.',
  );
  const hungThreads = gauge(
    'thread_hung',
    '1 while a thread has not answered for 10 seconds, 0 while it answers: writer (of the log), projector, history.',
    ['thread'],
  );
  for (const thread of ['writer', 'projector', 'history']) hungThreads.set({ thread }, 0);
  const damages = gauge(
    'event_log_damages',
    'Damaged places of the log that were found since the start, up to 100; 0 for a sound one.',
  );
  const restarts = counter(
    'projector_restarts_total',
    'Times that the thread of the projector has ended by itself; each time another one is started.',
  );

  /** Read at each scrape, so that a stuck projection shows. */
  const watchProjections = (projector: Pick<HostedProjector, 'status'>, lags: Pick<LagMonitor, 'look'>): void => {
    /** A number of each projection; none of one that gives undefined. */
    const ofEach = (name: string, help: string, valueOf: (status: ProjectionStatus) => number | undefined) =>
      gauge(name, help, ['projection'], (each) => {
        for (const status of projector.status()) {
          const value = valueOf(status);
          if (value !== undefined) each.set({ projection: status.name }, value);
        }
      });
    const lagOfEach = (name: string, help: string, valueOf: (lag: Lag) => number) =>
      gauge(name, help, ['projection'], async (each) => {
        for (const [projection, lag] of await lags.look()) each.set({ projection }, valueOf(lag));
      });
    ofEach(
      'projection_position',
      'The log position that a projection has reached, as far as it is a number.',
      ({ position }) => Number(position.split('/')[0]),
    );
    lagOfEach(
      'projection_lag_events',
      'Events in the log that a projection has not seen yet; NaN while the log cannot be read.',
      ({ events }) => events,
    );
    lagOfEach(
      'projection_lag_seconds',
      'Age of the oldest event that a projection has not seen yet; NaN while the log cannot be read.',
      ({ seconds }) => seconds,
    );
    ofEach('projection_errors', 'Failures of a projection since the start.', ({ errors }) => errors);
    ofEach(
      'projection_quarantined_streams',
      'Parked streams, since an event of theirs cannot be applied.',
      ({ parked = [] }) => parked.length,
    );
    ofEach(
      'projection_lease_held',
      '1 while a process keeps the projection, 0 while none does; only where processes share the work.',
      ({ lease }) => lease && (lease.holder === null ? 0 : 1),
    );
    gauge(
      'projection_lease_since_seconds',
      'When the holder of a projection took its lease, in seconds since 1970; only where processes share the work.',
      ['projection', 'holder'],
      (each) => {
        each.reset();
        for (const { name, lease } of projector.status())
          if (lease?.holder && lease.since)
            each.set({ projection: name, holder: lease.holder }, Date.parse(lease.since) / 1_000);
      },
    );
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
