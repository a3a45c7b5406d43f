import type { Static, TObject } from '../../schema/typebox.ts';
import type { AdminOperation } from '../../builds/admin-operation.ts';
import {
  cancelBuildsOperation,
  listProjectionsOperation,
  pauseProjectionOperation,
  planRebuildOperation,
  rebuildProjectionOperation,
  resumeProjectionOperation,
  retryQuarantinedOperation,
  rollBackProjectionOperation,
  skipQuarantinedOperation,
  verifyProjectionOperation,
} from '../../builds/admin-api.ts';
import type { ProjectionBuildsSummary } from '../../builds/build-schema.ts';
import type { BegunBuild } from '../../builds/operations.ts';
import type { ProjectionOverview } from '../../builds/overview.ts';
import type { RebuildPlan } from '../../builds/plan.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import { CliError } from '../parts/cli-error.ts';
import { retryWhileInterrupted } from '../parts/service-retries.ts';
import { askService, ServiceRefusedError } from '../parts/service-client.ts';
import { abortOnSignal, type Terminal } from '../parts/terminal.ts';
import { SERVICE_CONTINUES_HINT, type ProjectionsPort, type ProjectionsState } from './port.ts';

/** Each look is a request, and a user has so many a minute. */
const POLL_MS = 1_000;
/** Longer than a service takes, which counts events for ten seconds. */
const TIMEOUT_MS = 15_000;

type AdminEndpoint<P extends TObject, B extends TObject, R extends TObject> = Pick<
  AdminOperation<P, B, R>,
  'path' | 'method' | 'response'
>;

/**
 * Asks a service for an operation.
 *
 * @param ending while a request is waited for; the service goes on with it
 * @throws CliError where it refuses, cannot be asked, or is late; the reason of `ending`
 */
const askFor = async <P extends TObject, B extends TObject, R extends TObject>(
  terminal: Terminal,
  url: string,
  { path, method, response }: AdminEndpoint<P, B, R>,
  params: Static<P>,
  body?: Static<B>,
  ending?: AbortSignal,
): Promise<Static<R>> => {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await askService(
      { terminal, url, reason: undefined },
      { path, method, answer: response },
      { params: { ...params }, parameters: {}, body },
      ending ? AbortSignal.any([ending, late]) : late,
    );
  } catch (error) {
    throw error instanceof ServiceRefusedError
      ? new CliError(`${error.message}${ending ? SERVICE_CONTINUES_HINT : ''}`)
      : error;
  }
};

/** Where a service says that all builds stand, and how it is. */
export const fetchProjectionList = (terminal: Terminal, url: string, ending?: AbortSignal) =>
  askFor(terminal, url, listProjectionsOperation, {}, undefined, ending);

export const fetchRebuildPlan = (terminal: Terminal, url: string, name: string): Promise<RebuildPlan> =>
  askFor(terminal, url, planRebuildOperation, { name });

const toRecord = ({ name, live, paused, verified, builds }: ProjectionOverview): ProjectionBuildsSummary => ({
  name,
  active: live ?? '',
  paused,
  verified,
  builds: builds.map((build) => ({
    ...build,
    // The build itself has only the numbers.
    verification: verified?.build === build.id ? verified.report : null,
  })),
});

/** Begins builds one after the other. @throws CliError that names those begun before one was refused */
const beginEach = async (
  names: readonly string[],
  begin: (name: string) => Promise<{ readonly build: string }>,
): Promise<readonly BegunBuild[]> => {
  const begun: BegunBuild[] = [];
  for (const name of names)
    try {
      begun.push({ name, build: (await begin(name)).build });
    } catch (error) {
      if (!(error instanceof CliError) || begun.length === 0) throw error;
      throw new CliError(`${error.message}. Begun before: ${begun.map(({ build }) => build).join(', ')}`);
    }
  return begun;
};

/** The projections of a service, which is asked over HTTP and does the work. */
export const createServiceProjections = (
  terminal: Terminal,
  url: string,
  reason: string | undefined,
): ProjectionsPort => {
  const throttled = (throttle: number | null) => (throttle === null ? {} : { throttle });
  const confirmed = (name: string) => ({ confirm: name, ...omitUndefined({ reason }) });
  /** Once something is requested, a service that is away is waited for. */
  let signal: AbortSignal | undefined;
  const list = async () => {
    const ask = () => fetchProjectionList(terminal, url, signal);
    return (await (signal ? retryWhileInterrupted(terminal, ask, signal) : ask())).data;
  };
  const change = async <B extends TObject>(
    operation: AdminEndpoint<typeof cancelBuildsOperation.params, B, typeof cancelBuildsOperation.response>,
    name: string,
    body: Static<B>,
  ) => {
    const { live: active, paused } = await askFor(terminal, url, operation, { name }, body);
    return { active, paused };
  };
  const state = async (): Promise<ProjectionsState> => {
    const projections = await list();
    const builds = projections.flatMap((projection) => projection.builds);
    return {
      records: new Map(projections.map((each) => [each.name, toRecord(each)])),
      parked: new Map(builds.map(({ id, quarantined }) => [id, quarantined])),
    };
  };
  /** The parked streams of a projection, each once. @throws CliError where there are none */
  const parkedStreams = async (name: string): Promise<ReadonlySet<string>> => {
    const builds = (await list()).find((each) => each.name === name)?.builds ?? [];
    const streams = builds.flatMap(({ quarantined }) => quarantined.map(({ stream }) => stream));
    if (streams.length === 0) throw new CliError(`No stream of ${name} is parked`);
    return new Set(streams);
  };
  return {
    all: async () => (await state()).records,
    state,
    rebuild(names, { throttle, threads, keepHours, isApproved, isStrict }) {
      if (threads !== undefined)
        throw new CliError('--threads is of a rebuild without --from: the service has its own');
      const request = { keepHours, approve: isApproved, tolerant: !isStrict, ...throttled(throttle) };
      return beginEach(names, (name) =>
        askFor(terminal, url, rebuildProjectionOperation, { name }, { ...confirmed(name), ...request }),
      );
    },
    verify: (names, throttle) =>
      beginEach(names, (name) => askFor(terminal, url, verifyProjectionOperation, { name }, throttled(throttle))),
    cancel: (name) => change(cancelBuildsOperation, name, confirmed(name)),
    rollBack: (name, to) => change(rollBackProjectionOperation, name, { ...confirmed(name), ...omitUndefined({ to }) }),
    pause: (name) => change(pauseProjectionOperation, name, confirmed(name)),
    resume: (name) => change(resumeProjectionOperation, name, {}),
    retry: (name, stream) => change(retryQuarantinedOperation, name, omitUndefined({ stream })),
    async skip(name, stream) {
      for (const each of stream === undefined ? await parkedStreams(name) : [stream])
        await change(skipQuarantinedOperation, name, { ...confirmed(name), stream: each });
    },
    whileWorking(wait) {
      signal = abortOnSignal(terminal, SERVICE_CONTINUES_HINT);
      return wait(signal);
    },
    pollMs: POLL_MS,
  };
};
