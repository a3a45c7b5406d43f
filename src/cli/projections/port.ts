import type { ProjectionBuildsSummary, ProjectionBuilds } from '../../builds/build-schema.ts';
import type { ProjectionOperations } from '../../builds/operations.ts';
import type { ParkedStreamOverview } from '../../builds/overview.ts';

/** @throws what the signal is aborted with */
export type WaitForWork<T> = (signal: AbortSignal) => Promise<T>;

type Change = Promise<Pick<ProjectionBuilds, 'active' | 'paused'>>;

/** What is known of projections and their parked streams, by one look. */
export interface ProjectionsState {
  /** By projection. */
  readonly records: ReadonlyMap<string, ProjectionBuildsSummary>;
  /** By build. */
  readonly parked: ReadonlyMap<string, readonly ParkedStreamOverview[]>;
}

/** What operators' commands ask for: of the stores, or of a service over HTTP. Each change is recorded as an act. */
export interface ProjectionsPort extends Pick<ProjectionOperations, 'rebuild' | 'verify'> {
  /** The records alone, which are read in less time than parked streams. */
  all(): Promise<ProjectionsState['records']>;
  state(): Promise<ProjectionsState>;
  cancel(name: string): Change;
  /** @param to left out: the build that was active before */
  rollBack(name: string, to?: string): Change;
  pause(name: string): Change;
  resume(name: string): Change;
  /** @param stream undefined: all that are parked, here and for `skip` */
  retry(name: string, stream: string | undefined): Promise<unknown>;
  skip(name: string, stream: string | undefined): Promise<unknown>;
  /** Waits for what was requested, and has it done meanwhile. */
  whileWorking<T>(wait: WaitForWork<T>): Promise<T>;
  /** Between two looks at the state. */
  readonly pollMs: number;
}

/** What a command says that ends before its request is done; the request stays. */
export const CANCEL_HINT = 'hiring projections list shows it, and cancel gives a build up';
export const SERVICE_CONTINUES_HINT = `; the service goes on with it: ${CANCEL_HINT}`;
