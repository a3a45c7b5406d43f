import type { Build, ProjectionBuilds } from './build-schema.ts';

export const findBuild = <B extends Pick<Build, 'id'>>(
  { builds }: { readonly builds: readonly B[] },
  id: string,
): B | undefined => builds.find((build) => build.id === id);

/** The active build, which is served. */
export const activeBuild = (record: ProjectionBuilds): Build => {
  const active = findBuild(record, record.active);
  if (!active) throw new Error(`The projection ${record.name} has no build ${record.active}`);
  return active;
};

/** Whether it is under way, or waits for an operator. */
export const isBuildOpen = ({ step }: Pick<Build, 'step'>): boolean => step !== 'ready' && step !== 'discarded';

/** The build that is to replace the active one, if any. */
export const replacementBuild = (record: ProjectionBuilds): Build | undefined =>
  record.builds.find((build) => build.purpose === 'serve' && build.id !== record.active && isBuildOpen(build));

/** The build made only to be compared with the active one, if any. */
export const verificationBuild = (record: ProjectionBuilds): Build | undefined =>
  record.builds.find((build) => build.purpose === 'check' && isBuildOpen(build));

/** Whether the time to keep a build is over. @param now RFC 3339 */
export const isKeepTimeOver = ({ keptUntil }: Build, now: string): boolean => keptUntil !== null && keptUntil <= now;

/** The builds whose documents can be dropped. */
export const droppableBuilds = (record: ProjectionBuilds, now: string): Build[] =>
  record.builds.filter(
    (build) => build.id !== record.active && build.step === 'discarded' && isKeepTimeOver(build, now),
  );

/** The builds that code of a version applies events to: standby builds too, so that a rollback is only a switch. */
export const appliedBuilds = <B extends Pick<Build, 'version' | 'step'>>(
  { paused, builds }: { readonly paused: ProjectionBuilds['paused']; readonly builds: readonly B[] },
  version: number,
): B[] =>
  paused
    ? []
    : builds.filter((build) => build.version === version && build.step !== 'discarded' && build.step !== 'stopped');

/**
 * The build that code of a version serves, usually the active one. While instances with older and newer code run
 * together, the active build may have another version; then it is a complete build of the code's own.
 */
export const servedBuild = (record: ProjectionBuilds, version: number): Build => {
  const active = activeBuild(record);
  if (active.version === version) return active;
  return record.builds.findLast((build) => build.version === version && build.step === 'ready') ?? active;
};
