import type { Lag, LagMonitor } from './lag-monitor.ts';
import type { Projection } from '../projector/projection.ts';
import type { HostedProjector } from '../projector-threads/host.ts';
import type { ProjectionStatus } from '../projector/progress.ts';
import type { ThreadMonitor } from './thread-monitor.ts';
import type { ReadOutageMonitor } from './read-outage-monitor.ts';
import type { WriteOutageMonitor } from './write-outage-monitor.ts';

/** A projection that is behind or has parked streams, as any client is told of it. */
export interface DegradedProjection {
  readonly projection: string;
  /** Null while the event log cannot be read. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number | null;
  readonly reason: string;
}

export type Readiness =
  | { readonly status: 'ready' }
  /** Some reads are answered from read models that are behind, or refused where they carry a later token. */
  | {
      readonly status: 'degraded';
      /** Why, where it is not the projections alone. */
      readonly reason?: string;
      readonly projections: readonly DegradedProjection[];
      /** What the event log lacked at the start of what builds had seen. */
      readonly eventLog?: string;
    }
  | { readonly status: 'not ready'; readonly reason: string; readonly projections: readonly DegradedProjection[] };

/** Why a service is not ready, or degraded, in one line. */
export const readinessReasonText = ({
  reason,
  eventLog,
  projections = [],
}: {
  readonly reason?: string | undefined;
  readonly eventLog?: string | undefined;
  readonly projections?: readonly Pick<DegradedProjection, 'projection' | 'reason'>[] | undefined;
}): string => {
  const named = [...new Set(projections.map((behind) => behind.reason))].map((shared) => {
    const names = projections.filter((behind) => behind.reason === shared);
    return `${names.map(({ projection }) => projection).join(', ')}: ${shared}`;
  });
  return [reason, eventLog, ...named].filter((each) => each !== undefined).join('; ');
};

interface ReadinessOptions {
  /** The projections of this code. */
  readonly projections: readonly Pick<Projection, 'name' | 'version'>[];
  readonly projector: Pick<HostedProjector, 'isCaughtUp' | 'waitsFor' | 'status'>;
  readonly lags: Pick<LagMonitor, 'glance'>;
  readonly reads: Pick<ReadOutageMonitor, 'reason'>;
  readonly writes: Pick<WriteOutageMonitor, 'reason'>;
  /** What the event log lacked at the start, in words; undefined where it lacked nothing. */
  readonly lack?: () => string | undefined;
  readonly threads: Pick<ThreadMonitor, 'reason'>;
  /** The damage of the event log that was met. */
  readonly damage: () => string | undefined;
  readonly isStopping: () => boolean;
}

/** With every write a projection is behind for a moment: that is not reported. */
const LATE_SECONDS = 10;

const numberOrNull = (value: number): number | null => (Number.isFinite(value) ? Math.round(value * 10) / 10 : null);

const withPrefix = (prefix: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : `${prefix}: ${text}`;

/** Parked events are not in the lag: the position goes on past them. */
const parkedReason = (streams: number): string =>
  streams === 1
    ? '1 stream is parked at an event that cannot be applied'
    : `${streams} streams are parked at events that cannot be applied`;

/** Tells how ready the service is to answer. */
export const createReadinessCheck = (options: ReadinessOptions) => {
  const { projections, projector, lags, reads, writes, threads, damage, isStopping, lack = () => undefined } = options;
  const wanted = new Map(projections.map(({ name, version }) => [name, version]));
  /** The version that is being built while an older one is active; undefined where none is. */
  const newerThan = ({ name, version }: ProjectionStatus): number | undefined => {
    const own = wanted.get(name) ?? version;
    return version < own ? own : undefined;
  };

  const behindReason = (status: ProjectionStatus, lag: Lag, isCaughtUp: boolean): string => {
    const { lastError, lease, isPaused, gaveUp } = status;
    const [awaited, newer] = [projector.waitsFor(), newerThan(status)];
    if (isPaused) return 'it is paused';
    if (gaveUp !== undefined) return `this instance gave the lease back: ${gaveUp}`;
    // The error's text is for the application log only: any client may ask here.
    if (lastError !== undefined) return 'it failed and tries again';
    if (awaited !== undefined) return awaited;
    if (lease?.holder === null) return 'no process keeps it';
    if (Number.isNaN(lag.events)) return 'the event log cannot be read';
    if (newer !== undefined) return `it is being rebuilt as version ${newer}`;
    if (!isCaughtUp) return 'it is being built';
    return lag.stillSeconds >= LATE_SECONDS
      ? `it is stuck: it has not moved for ${Math.floor(lag.stillSeconds)} s`
      : 'it is catching up';
  };

  const isBehind = (status: ProjectionStatus, lag: Lag, isCaughtUp: boolean): boolean =>
    lag.events !== 0 &&
    (!isCaughtUp ||
      status.isPaused === true ||
      status.lastError !== undefined ||
      newerThan(status) !== undefined ||
      Number.isNaN(lag.events) ||
      lag.lateSeconds >= LATE_SECONDS);

  const reasonsOf = (status: ProjectionStatus, lag: Lag, isCaughtUp: boolean): string[] => [
    ...(isBehind(status, lag, isCaughtUp) ? [behindReason(status, lag, isCaughtUp)] : []),
    ...(status.parked?.length ? [parkedReason(status.parked.length)] : []),
  ];

  return async (): Promise<Readiness> => {
    if (isStopping()) return { status: 'not ready', reason: 'stopping', projections: [] };
    const current = await lags.glance();
    const isCaughtUp = projector.isCaughtUp();
    const behind = projector.status().flatMap((status): DegradedProjection[] => {
      const lag = current.get(status.name);
      const reasons = lag ? reasonsOf(status, lag, isCaughtUp) : [];
      if (!lag || reasons.length === 0) return [];
      const { events, seconds } = lag;
      return [
        {
          projection: status.name,
          lagEvents: numberOrNull(events),
          lagSeconds: numberOrNull(seconds),
          reason: reasons.join('; '),
        },
      ];
    });
    const reason =
      withPrefix('nothing can be stored', writes.reason()) ??
      threads.reason() ??
      (isCaughtUp ? undefined : (projector.waitsFor() ?? damage() ?? 'the read models are being built'));
    if (reason !== undefined) return { status: 'not ready', reason, projections: behind };
    const reasons = [withPrefix('the read models cannot be read', reads.reason()), damage()].filter(
      (each) => each !== undefined,
    );
    const eventLog = lack();
    if (behind.length === 0 && reasons.length === 0 && eventLog === undefined) return { status: 'ready' };
    // Other instances would be no better off, and writes go on.
    return {
      status: 'degraded',
      ...(reasons.length > 0 && { reason: reasons.join('; ') }),
      projections: behind,
      ...(eventLog !== undefined && { eventLog }),
    };
  };
};
