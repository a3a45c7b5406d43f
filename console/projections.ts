import { api, bodyOf, type Schemas } from './api.ts';

export type ProjectionState = Schemas['Projection'];
export type Build = Schemas['Build'];
export type Overview = Schemas['ProjectionList'];

/** Where every projection stands, and the service. @throws Failure */
export const readOverview = (signal: AbortSignal): Promise<Overview> =>
  bodyOf(api.GET('/admin/projections', { signal }));

/** What an operator may have done with a projection. Each is given the body of its operation. @throws Failure */
export const projectionOperations = (name: string) => {
  const params = { path: { name } };
  return {
    rebuild: (body: Schemas['RebuildProjectionRequest']) =>
      bodyOf(api.POST('/admin/projections/{name}/rebuild', { params, body })),
    verify: (body: Schemas['VerifyProjectionRequest']) =>
      bodyOf(api.POST('/admin/projections/{name}/verify', { params, body })),
    cancel: (body: Schemas['CancelBuildsRequest']) =>
      bodyOf(api.POST('/admin/projections/{name}/cancel', { params, body })),
    rollBack: (body: Schemas['RollBackProjectionRequest']) =>
      bodyOf(api.POST('/admin/projections/{name}/rollback', { params, body })),
    pause: (body: Schemas['PauseProjectionRequest']) =>
      bodyOf(api.POST('/admin/projections/{name}/pause', { params, body })),
    resume: () => bodyOf(api.POST('/admin/projections/{name}/resume', { params })),
    retry: (body: Schemas['RetryQuarantinedRequest']) =>
      bodyOf(api.POST('/admin/projections/{name}/retry', { params, body })),
    skip: (body: Schemas['SkipQuarantinedRequest']) =>
      bodyOf(api.POST('/admin/projections/{name}/skip', { params, body })),
  };
};

export const activeBuildOf = ({ live, builds }: ProjectionState): Build | undefined =>
  builds.find(({ id }) => id === live);

/** Builds that are not over yet. */
export const buildsUnderWay = ({ builds, live }: ProjectionState): readonly Build[] =>
  builds.filter(({ id, step }) => step === 'build' || (step === 'verify' && id !== live));

export interface ParkedStreamInBuild {
  readonly projection: ProjectionState;
  readonly build: Build;
  readonly parked: Schemas['ParkedStream'];
}

export const parkedStreamsIn = (projections: readonly ProjectionState[]): readonly ParkedStreamInBuild[] =>
  projections.flatMap((projection) =>
    projection.builds.flatMap((build) => build.quarantined.map((parked) => ({ projection, build, parked }))),
  );

/** How far a build is; undefined where nothing is applied. */
export const progressOf = ({ progress }: Build) => {
  if (!progress) return undefined;
  const { events, of, perSecond } = progress;
  const share = of === 0 ? 0 : events / of;
  const left = perSecond > 0 ? Math.ceil((of - events) / perSecond) : undefined;
  return { events, of, perSecond, share, secondsLeft: left };
};

/** States as people say them: `built` and `verified` are under way. */
export const stateTexts: Readonly<Record<Build['state'], string>> = {
  live: 'served',
  kept: 'kept',
  built: 'building',
  verified: 'comparing',
  differs: 'differs',
  stopped: 'stopped',
};

/**
 * How often builds are asked for. One under way is watched, and so is a release of parked streams; otherwise fifty open
 * pages cost the service about 2 % of a core.
 */
export const pollMs = ({ data }: Overview): number =>
  data.some(
    (projection) =>
      buildsUnderWay(projection).length > 0 ||
      projection.builds.some(({ quarantined }) => quarantined.some(({ request }) => request !== 'none')),
  )
    ? 1_000
    : 12_000;
