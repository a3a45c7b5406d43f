import type { Position } from '../event-store/port.ts';
import type { LeaseStatus, ParkedStreamRef } from '../read-models/port.ts';

export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** All events up to here are in the stored documents. */
  readonly position: Position;
  /** The id of the served build. */
  readonly build?: string | undefined;
  readonly isPaused?: boolean;
  /** Parked streams, each from its poison event on. */
  readonly parked?: readonly ParkedStreamRef[];
  readonly errors: number;
  /** Undefined while the projection does not fail. */
  readonly lastError: string | undefined;
  /** Why this process gave the lease back and does not take it now. */
  readonly gaveUp?: string | undefined;
  /** Where several processes may project: the lease holder, and since when. */
  readonly lease?: Pick<LeaseStatus, 'holder' | 'since'> | undefined;
}

/** As the projector knows it. */
export interface RunnerStatus extends ProjectionStatus {
  /** Events are applied up to here, stored or not. */
  readonly applied: Position;
  /** Events of its types that it was given since it began in this process, those of parked streams too. */
  readonly seen: number;
  /** How many events its build takes, where that is known. */
  readonly of: number | undefined;
  /** Whether this process applies it. */
  readonly isHere: boolean;
  /** Whether this process applies it, and queries may read what is stored. */
  readonly isBuilt: boolean;
  /** How poison events were to be treated when one, or damage of the event log, stopped it; else undefined. */
  readonly stopped: 'strict' | 'tolerant' | undefined;
}

/** What the rest of the service may know of projections and wait for. */
export interface ProjectionTracker<Status extends ProjectionStatus = ProjectionStatus> {
  status(): readonly Status[];
  /** Waits until the named projections have reached a position; false when they have not in time. */
  reached(names: readonly string[], position: Position, milliseconds: number): Promise<boolean>;
  /** Resolves after the next change, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void>;
}

/** Answers from what `status` says; its owner must call `notify` after each change. */
export const createProjectionTracker = <Status extends ProjectionStatus>(
  status: () => readonly Status[],
): { readonly progress: ProjectionTracker<Status>; readonly notify: () => void } => {
  const waiting = new Set<() => void>();

  const next: ProjectionTracker['next'] = (signal) =>
    new Promise((resolve) => {
      const wake = () => {
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (signal.aborted) {
        wake();
        return;
      }
      waiting.add(wake);
      signal.addEventListener('abort', wake);
    });

  const reached: ProjectionTracker['reached'] = async (names, position, milliseconds) => {
    const isThere = () =>
      status().every((projection) => !names.includes(projection.name) || projection.position >= position);
    if (isThere()) return true;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), milliseconds);
    while (!isThere() && !late.signal.aborted) await next(late.signal);
    clearTimeout(timer);
    return isThere();
  };

  const notify = () => {
    for (const wake of waiting) wake();
  };
  return { progress: { status, reached, next }, notify };
};
