import type { Lag, LagWatch } from './lag-watch.ts';
import { scrubText } from './log-scrubber.ts';
import type { HostedProjector } from './projector-host.ts';
import type { ProjectionStatus } from './projector-progress.ts';

/** A projection that is behind, as it is told to anybody. */
export interface Behind {
  readonly projection: string;
  /** Null while the log cannot be read. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number | null;
  readonly reason: string;
}

export type Readiness =
  | { readonly status: 'ready' }
  /** Everything is answered, but some of it from read models that are behind. */
  | { readonly status: 'degraded'; readonly projections: readonly Behind[] }
  | { readonly status: 'not ready'; readonly reason: string; readonly projections: readonly Behind[] };

export interface ReadinessOptions {
  readonly projector: Pick<HostedProjector, 'isCaughtUp' | 'waitsFor' | 'status'>;
  readonly lags: Pick<LagWatch, 'glance'>;
  readonly isStopping: () => boolean;
}

/** A projection is a moment behind with every write; nobody needs to be told of that. */
const LATE_SECONDS = 10;
const MOST_CHARACTERS = 300;

/** A failure in one line, without what may be secret or personal: everybody may ask for it. */
const inOneLine = (text: string): string => {
  const line = scrubText(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
};

const numberOrNull = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(value * 10) / 10 : null;

/** Asks how ready the service is to answer. */
export const createReadiness = ({ projector, lags, isStopping }: ReadinessOptions) => {
  const reasonOf = ({ lastError, lease }: ProjectionStatus, lag: Lag, isCaughtUp: boolean): string => {
    const awaited = projector.waitsFor();
    if (lastError !== undefined) return `it failed and tries again: ${inOneLine(lastError)}`;
    if (awaited !== undefined) return awaited;
    if (lease?.holder === null) return 'no process keeps it';
    if (Number.isNaN(lag.events)) return 'the log cannot be read';
    if (!isCaughtUp) return 'it is being built';
    return lag.stillSeconds >= LATE_SECONDS
      ? `it is stuck: it has not moved for ${Math.floor(lag.stillSeconds)} s`
      : 'it is catching up';
  };

  const isWorthTelling = ({ lastError }: ProjectionStatus, lag: Lag, isCaughtUp: boolean): boolean =>
    lag.events !== 0 &&
    (!isCaughtUp || lastError !== undefined || Number.isNaN(lag.events) || lag.lateSeconds >= LATE_SECONDS);

  return async (): Promise<Readiness> => {
    if (isStopping()) return { status: 'not ready', reason: 'stopping', projections: [] };
    const told = await lags.glance();
    const isCaughtUp = projector.isCaughtUp();
    const projections = projector.status().flatMap((status): Behind[] => {
      const lag = told.get(status.name);
      if (!lag || !isWorthTelling(status, lag, isCaughtUp)) return [];
      const { events, seconds } = lag;
      const reason = reasonOf(status, lag, isCaughtUp);
      return [
        {
          projection: status.name,
          lagEvents: numberOrNull(events),
          lagSeconds: numberOrNull(seconds),
          reason,
        },
      ];
    });
    if (!isCaughtUp)
      return {
        status: 'not ready',
        reason: projector.waitsFor() ?? 'the read models are being built',
        projections,
      };
    return projections.length === 0 ? { status: 'ready' } : { status: 'degraded', projections };
  };
};
