import { projectionNameOfBuild } from '../projector/build-id.ts';
import { START_POSITION, type Position } from '../event-store/port.ts';
import type { ProjectionStatus } from '../projector/progress.ts';

/**
 * What a process knows of its projections, also while no thread applies them. It counts errors itself, since each
 * thread counts from nothing.
 */
export const createStatusTracker = (projections: readonly Pick<ProjectionStatus, 'name' | 'version'>[]) => {
  let status: readonly ProjectionStatus[] = projections.map(({ name, version }) => ({
    name,
    version,
    position: START_POSITION,
    errors: 0,
    lastError: undefined,
  }));
  /** Where each projection was when all were caught up, or later; undefined before that. */
  let reached: ReadonlyMap<string, Position> | undefined;
  let isReached = false;
  /** Whether a projection stands where it was, or further. */
  const isKept = ({ name, position }: ProjectionStatus): boolean =>
    reached !== undefined && position >= (reached.get(name) ?? START_POSITION);
  const positions = () => new Map(status.map(({ name, position }) => [name, position]));

  return {
    status: () => status,
    /**
     * Whether queries may be answered, of all projections or of some. Once all projections were caught up, one that
     * falls behind changes nothing; one that stands before where it was does, because it is built anew.
     */
    isCaughtUp: (names?: readonly string[]) =>
      isReached || (names !== undefined && status.every((one) => !names.includes(one.name) || isKept(one))),
    /** To be called with what the thread reports. */
    heard(statuses: readonly ProjectionStatus[], isCaughtUp: boolean): void {
      const errors = new Map(status.map((before) => [before.name, before.errors]));
      status = statuses.map((now) => ({ ...now, errors: errors.get(now.name) ?? 0 }));
      if (isCaughtUp) reached ??= positions();
      isReached = status.every(isKept);
    },
    /** A build of one projection has failed, or `all`. */
    failed(build: string): void {
      const name = projectionNameOfBuild(build);
      status = status.map((one) => (name === 'all' || name === one.name ? { ...one, errors: one.errors + 1 } : one));
    },
    /** The thread has ended by itself: nothing moves until another one reports. */
    ended(reason: string): void {
      // A projection that the next thread shows further back is built anew.
      if (isReached) reached = positions();
      status = status.map((one) => ({ ...one, lastError: reason }));
    },
  };
};
