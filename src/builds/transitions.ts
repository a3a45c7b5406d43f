import { conflict } from '../errors/domain-error.ts';
import {
  DEFAULT_KEEP_HOURS,
  type Build,
  type BuildOptions,
  type ProjectionBuilds,
  type BuildStep,
  isProvenSame,
  type Verification,
} from './build-schema.ts';
import { buildId, numberOfBuild } from '../projector/build-id.ts';
import { hoursAfter } from '../lib/hours-after.ts';
import {
  findBuild,
  activeBuild,
  isBuildOpen,
  replacementBuild,
  verificationBuild,
  isKeepTimeOver,
  servedBuild,
} from './projection-builds.ts';

/** What can happen to a projection's builds: each function returns the changed record, or throws a DomainError. */

const DEFAULT_OPTIONS: BuildOptions = {
  throttle: null,
  keepHours: DEFAULT_KEEP_HOURS,
  isApproved: false,
  isStrict: true,
};
/** A served build must go on after a poison event. */
const SERVED_OPTIONS: BuildOptions = { ...DEFAULT_OPTIONS, isStrict: false };

const newBuild = (
  { name, nextNumber }: Pick<ProjectionBuilds, 'name' | 'nextNumber'>,
  version: number,
  purpose: Build['purpose'],
  options: BuildOptions,
  now: string,
): Build => ({
  id: buildId(name, version, nextNumber),
  version,
  step: 'build',
  purpose,
  startedAt: now,
  ...options,
  stoppedBy: null,
  releases: [],
  progress: null,
  verification: null,
  keptUntil: null,
});

const addBuild = (record: ProjectionBuilds, build: Build): ProjectionBuilds => ({
  ...record,
  builds: [...record.builds, build],
  nextNumber: record.nextNumber + 1,
});

const updateBuild = (record: ProjectionBuilds, id: string, change: Partial<Build>): ProjectionBuilds => ({
  ...record,
  builds: record.builds.map((build) => (build.id === id ? { ...build, ...change } : build)),
});

/** The record of a new projection, whose first build is active from the start; reads are refused until it is built. */
export const createProjectionBuilds = (name: string, version: number, now: string): ProjectionBuilds => {
  const nothing = { name, active: '', builds: [], nextNumber: 1, paused: null, perSecond: null, verified: null };
  const build = newBuild(nothing, version, 'serve', SERVED_OPTIONS, now);
  return { ...addBuild(nothing, build), active: build.id };
};

/**
 * Starts a build for a newer version of the code, approved in advance since it is meant to differ. Builds that older
 * code had under way are given up.
 */
export const beginVersionBuild = (record: ProjectionBuilds, version: number, now: string): ProjectionBuilds => {
  if (record.builds.some((build) => build.version >= version && build.step !== 'discarded')) return record;
  const older = record.builds.filter((build) => build.id !== record.active && isBuildOpen(build));
  const rest = older.reduce((before, { id }) => discardBuild(before, id, now), record);
  return addBuild(rest, newBuild(record, version, 'serve', { ...SERVED_OPTIONS, isApproved: true }, now));
};

/** Refuses what would wait until the projection is resumed. @throws DomainError while it is paused */
export const refusePaused = ({ name, paused }: Pick<ProjectionBuilds, 'name' | 'paused'>): void => {
  if (paused) throw conflict(`${name} is paused; resume it first`);
};

const otherVersionConflict = (name: string, active: Build, version: number) =>
  conflict(`${active.id} is served, and this code is of version ${version} of ${name}`);

/** @throws DomainError for a build of another version, which this code does not go on with */
const refuseOtherVersion = (build: Build, version: number): void => {
  if (build.version !== version)
    throw conflict(`${build.id} is under way, and this code is of version ${version}; cancel it first`);
};

/**
 * Asks for a build that is to replace the active one. A build under way is resumed; so is the active one while it is
 * incomplete, which never becomes strict. A build that differs becomes the active one if this request approves it.
 *
 * @throws DomainError while paused, or when a build of another version or an unapproved one is in the way
 */
export const beginRebuild = (
  record: ProjectionBuilds,
  version: number,
  options: BuildOptions,
  now: string,
): ProjectionBuilds => {
  refusePaused(record);
  const next = replacementBuild(record);
  if (next) refuseOtherVersion(next, version);
  if (next?.step === 'differs' && !options.isApproved)
    throw conflict(`${next.id} differs from what is served; approve it, or cancel it to build it anew`);
  if (next) return updateBuild(record, next.id, { ...options, step: resumedStep(next.step), stoppedBy: null });
  const active = activeBuild(record);
  if (active.step !== 'ready' && active.version === version)
    return updateBuild(record, active.id, { throttle: options.throttle, stoppedBy: null });
  if (active.version > version) throw otherVersionConflict(record.name, active, version);
  return addBuild(record, newBuild(record, version, 'serve', options, now));
};

/** The next step of a build that waited for an operator. */
const resumedStep = (step: BuildStep): BuildStep =>
  step === 'differs' ? 'verify' : step === 'stopped' ? 'build' : step;

/** Asks for a build only to compare it with the active one, unless one is under way. */
export const beginVerification = (
  record: ProjectionBuilds,
  version: number,
  throttle: number | null,
  now: string,
): ProjectionBuilds => {
  refusePaused(record);
  const compared = verificationBuild(record);
  if (compared) {
    refuseOtherVersion(compared, version);
    const step = resumedStep(compared.step);
    return updateBuild(record, compared.id, { throttle, step, stoppedBy: null });
  }
  const active = activeBuild(record);
  if (active.step !== 'ready') throw conflict(`${record.name} is being built for the first time, as ${active.id}`);
  // Builds of different versions are meant to differ.
  if (active.version !== version) throw otherVersionConflict(record.name, active, version);
  return addBuild(record, newBuild(record, version, 'check', { ...DEFAULT_OPTIONS, throttle }, now));
};

/** 10 s for every instance to learn that the build is discarded. */
const GRACE_HOURS = 10 / 3_600;
const discardBuild = (record: ProjectionBuilds, id: string, now: string): ProjectionBuilds =>
  updateBuild(record, id, { step: 'discarded', keptUntil: hoursAfter(now, GRACE_HOURS) });

/** Gives up the builds under way beside the active one. @throws DomainError when there is none */
export const cancelBuilds = (record: ProjectionBuilds, now: string): ProjectionBuilds => {
  const open = record.builds.filter((build) => build.id !== record.active && isBuildOpen(build));
  if (open.length === 0) throw conflict(`No build of ${record.name} is under way`);
  return open.reduce((before, { id }) => discardBuild(before, id, now), record);
};

/** The next step of a build after its own work. Leaves one alone that was discarded or completed meanwhile. */
export const setBuildStep = (
  record: ProjectionBuilds,
  id: string,
  step: BuildStep,
  more: { verification?: Verification; progress?: Build['progress']; stoppedBy?: string | null } = {},
): ProjectionBuilds => {
  const build = findBuild(record, id);
  if (!build || build.step === 'discarded' || build.step === 'ready') return record;
  const { verification: report } = more;
  return { ...updateBuild(record, id, { step, ...more }), ...(report && { verified: { build: id, report } }) };
};

/**
 * Makes a build the active one. The one it replaces is kept as a standby for a while, or discarded if incomplete, and
 * stands last: the last standby build is always the one that was active before.
 */
export const activateBuild = (record: ProjectionBuilds, id: string, now: string): ProjectionBuilds => {
  const build = findBuild(record, id);
  if (!build || build.step === 'discarded' || id === record.active) return record;
  const left =
    activeBuild(record).step === 'ready'
      ? updateBuild(record, record.active, { keptUntil: hoursAfter(now, build.keepHours) })
      : discardBuild(record, record.active, now);
  const { builds, ...rest } = updateBuild(left, id, { step: 'ready', isStrict: false, keptUntil: null });
  const isReplaced = (each: Build) => each.id === record.active;
  return { ...rest, builds: [...builds.filter((each) => !isReplaced(each)), ...builds.filter(isReplaced)], active: id };
};

/**
 * Applies a comparison: a build that equals the active one, or is approved, replaces it; one made only to be compared
 * is discarded; any other waits for an operator to decide.
 */
export const applyVerification = (
  record: ProjectionBuilds,
  id: string,
  report: Verification,
  now: string,
): ProjectionBuilds => {
  const build = findBuild(record, id);
  if (build?.step !== 'verify') return record;
  const differing = setBuildStep(record, id, 'differs', { verification: report });
  if (build.purpose === 'check') return discardBuild(differing, id, now);
  return isProvenSame(report) || build.isApproved ? activateBuild(differing, id, now) : differing;
};

/**
 * Makes the last standby build of a version active again.
 *
 * @param to the build that is to be active then, so that the same request again changes nothing; without it, none that
 *   is newer than the active one
 * @throws DomainError when there is none
 */
export const rollBack = (
  record: ProjectionBuilds,
  version: number,
  to: string | undefined,
  now: string,
): ProjectionBuilds => {
  if (to === record.active) return record;
  const standby = record.builds.filter(({ id, step }) => step === 'ready' && id !== record.active);
  const back = standby.findLast((build) => build.version === version && (to ?? build.id) === build.id);
  if (!back && to !== undefined && !standby.some(({ id }) => id === to))
    throw conflict(
      `No build ${to} of ${record.name} is kept; kept: ${standby.map(({ id }) => id).join(', ') || 'none'}`,
    );
  if (!back) {
    const others = [...new Set(standby.map((build) => build.version))].join(', ');
    throw conflict(
      others === ''
        ? `No other build of ${record.name} is kept`
        : `The builds of ${record.name} that are kept are of version ${others}; start the code of that version`,
    );
  }
  const active = activeBuild(record);
  const isForward = back.version === active.version && numberOfBuild(back.id) > numberOfBuild(active.id);
  if (to === undefined && isForward)
    throw conflict(
      `The build that was served before is ${back.id}, which is newer than ${active.id}: to go forward again, name it (--to ${back.id})`,
    );
  return activateBuild(record, back.id, now);
};

export const markPaused = (record: ProjectionBuilds, by: string, now: string): ProjectionBuilds => ({
  ...record,
  paused: record.paused ?? { since: now, by },
});
export const markResumed = (record: ProjectionBuilds): ProjectionBuilds => ({ ...record, paused: null });

/** Discards the builds whose time to be kept is over, except those in use by code of a version. */
export const discardExpiredBuilds = (record: ProjectionBuilds, version: number, now: string): ProjectionBuilds => {
  const inUse = [record.active, servedBuild(record, version).id];
  return record.builds
    .filter((build) => !inUse.includes(build.id) && build.step !== 'discarded' && isKeepTimeOver(build, now))
    .reduce((before, { id }) => discardBuild(before, id, now), record);
};

/** Forgets a build whose documents are dropped. */
export const forgetBuild = (record: ProjectionBuilds, id: string): ProjectionBuilds => ({
  ...record,
  builds: record.builds.filter((build) => build.id !== id || build.id === record.active),
});
