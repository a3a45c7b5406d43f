import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../../projections/index.ts';
import type { ProjectionBuildsSummary } from '../../builds/build-schema.ts';
import type { ParkedStreamOverview } from '../../builds/overview.ts';
import { appliedBuilds } from '../../builds/projection-builds.ts';
import { requireRecord } from '../../builds/registry.ts';
import { refusePaused } from '../../builds/transitions.ts';
import { CliError } from '../parts/cli-error.ts';
import { print } from '../parts/print.ts';
import type { Terminal } from '../parts/terminal.ts';
import type { ProjectionsPort, ProjectionsState } from './port.ts';
import { chosenProjections, withProjections, type ProjectionsCommandOptions } from './with-projections.ts';

/** A line for each parked stream of a build. */
export const parkedLines = (
  build: string,
  parked: readonly Pick<ParkedStreamOverview, 'stream' | 'type' | 'position' | 'error'>[],
): readonly string[] =>
  parked.map(
    ({ stream, type, position, error }) => `${build}: ${stream} is parked at ${type} at ${position}: ${error}`,
  );

type Kind = 'retry' | 'skip';

/** Applying parked streams rarely takes longer. After that the command says that it waits. */
const USUAL_MS = 2_000;
const MAX_MS = 60_000;

/** What is parked in each build of a projection. */
const parkedOf = async (port: ProjectionsPort, name: string): Promise<ProjectionsState['parked']> => {
  const { records, parked } = await port.state();
  const { builds } = requireRecord(name, records.get(name));
  return new Map(builds.map(({ id }) => [id, parked.get(id) ?? []]));
};

/** A parked stream of a build, and its poison event. */
interface Parked {
  readonly build: string;
  readonly stream: string;
  readonly position: string;
}

/** The parked streams that an act is about, in the builds that code of this version applies. */
const requestedIn = (
  record: ProjectionBuildsSummary,
  parked: ProjectionsState['parked'],
  stream: string | undefined,
): readonly Parked[] => {
  const { version = 0 } = projections.find(({ name }) => name === record.name) ?? {};
  return appliedBuilds(record, version).flatMap(({ id: build }) =>
    (parked.get(build) ?? [])
      .filter((each) => stream === undefined || each.stream === stream)
      .map((each) => ({ build, stream: each.stream, position: each.position })),
  );
};

/**
 * Waits until what was requested is done, and prints what is parked then.
 *
 * @returns whether all of it had the effect that it was requested for: after a retry no such stream is parked, after a
 *   skip none at the event that was skipped
 * @throws what the signal is aborted with
 */
const awaitReleases = async (
  { stdout, stderr }: Terminal,
  port: ProjectionsPort,
  { name, kind, requested }: { name: string; kind: Kind; requested: readonly Parked[] },
  signal: AbortSignal,
): Promise<boolean> => {
  const begun = performance.now();
  let isWaitReported = false;
  let parked = await parkedOf(port, name);
  const isDue = (): boolean =>
    requested.some(({ build }) => parked.get(build)?.some(({ request }) => request !== 'none'));
  for (let waited = 0; isDue() && waited < MAX_MS; waited = performance.now() - begun) {
    if (!isWaitReported && waited >= USUAL_MS) {
      print(stderr, `${name}: the projector has not done it yet; waiting up to ${MAX_MS / 1_000} s`);
      isWaitReported = true;
    }
    await delay(port.pollMs);
    signal.throwIfAborted();
    parked = await parkedOf(port, name);
  }
  const failed = requested.filter(({ build, stream, position }) =>
    parked.get(build)?.some((one) => one.stream === stream && (kind === 'retry' || one.position === position)),
  );
  const lines = [...parked].flatMap(([build, streams]) => parkedLines(build, streams));
  if (isDue()) print(stdout, `${name}: not done after ${MAX_MS / 1_000} s; it goes on, as list shows`);
  if (lines.length === 0) print(stdout, `${name}: nothing is parked`);
  else print(stdout, [...(failed.length === 0 ? [`${name}: done; parked still are:`] : []), ...lines]);
  return failed.length === 0;
};

/** The named projection, or all with a parked stream. @throws CliError where there is none */
const chosenParked = (
  name: string | undefined,
  isAll: boolean | undefined,
  records: ReadonlyMap<string, ProjectionBuildsSummary>,
  parked: ProjectionsState['parked'],
): readonly string[] => {
  if (name !== undefined) return chosenProjections([name], false);
  const names = chosenProjections([], isAll).filter((each) =>
    records.get(each)?.builds.some(({ id }) => (parked.get(id)?.length ?? 0) > 0),
  );
  if (names.length === 0) throw new CliError('No stream is parked');
  return names;
};

/**
 * `hiring projections retry` and `skip`: apply parked streams again, all or one; with `skip` without the poison events
 * at which they are parked.
 *
 * @param name left out: every projection with a parked stream, which `all` must say
 */
export const releaseParked = (
  terminal: Terminal,
  kind: Kind,
  name: string | undefined,
  {
    stream,
    all,
    ...options
  }: ProjectionsCommandOptions & { readonly stream?: string | undefined; readonly all?: true },
): Promise<boolean> =>
  withProjections(terminal, options, async (port) => {
    if (stream !== undefined && all) throw new CliError(`Name the stream ${stream}, or say --all`);
    if (kind === 'skip' && name !== undefined && stream === undefined && !all)
      throw new CliError(`Name a parked stream of ${name}, or say --all`);
    const { records, parked } = await port.state();
    const requests = chosenParked(name, all, records, parked).map((each) => {
      const record = records.get(each);
      // All are checked before the first is changed.
      if (record) refusePaused(record);
      return { name: each, kind, requested: record ? requestedIn(record, parked, stream) : [] };
    });
    for (const each of requests) await port[kind](each.name, stream);
    return port.whileWorking(async (signal) => {
      const isDone: boolean[] = [];
      for (const each of requests) isDone.push(await awaitReleases(terminal, port, each, signal));
      return isDone.every((each) => each);
    });
  });
