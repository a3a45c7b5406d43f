import { conflict } from '../errors/http-error.ts';
import {
  buildId,
  KEEP_HOURS,
  type Build,
  type BuildOptions,
  type Entry,
  type Step,
  type Verification,
} from './build.ts';
import { buildWith, liveBuild, isOpen, nextBuild, checkBuild, isOver, served } from './entry.ts';

/** What can happen to a projection's builds: each function returns the changed entry, or throws an HttpError. */

const HOUR_MS = 3_600_000;
const hoursAfter = (now: string, hours: number): string =>
  new Date(Date.parse(now) + hours * HOUR_MS).toISOString();

const AS_USUAL: BuildOptions = { throttle: null, keepHours: KEEP_HOURS, isApproved: false, isStrict: true };
/** A served build must go on after a poison event. */
const SERVED: BuildOptions = { ...AS_USUAL, isStrict: false };

const newBuild = (
  { name, nextNumber }: Pick<Entry, 'name' | 'nextNumber'>,
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

const added = (entry: Entry, build: Build): Entry => ({
  ...entry,
  builds: [...entry.builds, build],
  nextNumber: entry.nextNumber + 1,
});

const changed = (entry: Entry, id: string, change: Partial<Build>): Entry => ({
  ...entry,
  builds: entry.builds.map((build) => (build.id === id ? { ...build, ...change } : build)),
});

/** The entry of a new projection, whose first build is served while it is being built. */
export const firstEntry = (name: string, version: number, now: string): Entry => {
  const nothing = {
    name,
    live: '',
    builds: [],
    nextNumber: 1,
    paused: null,
    perSecond: null,
    verified: null,
  };
  const build = newBuild(nothing, version, 'serve', SERVED, now);
  return { ...added(nothing, build), live: build.id };
};

/**
 * Starts a build for a newer version of the code, approved in advance since it is meant to differ. Builds that older
 * code had under way are given up.
 */
export const withVersion = (entry: Entry, version: number, now: string): Entry => {
  if (entry.builds.some((build) => build.version >= version && build.step !== 'discarded')) return entry;
  const older = entry.builds.filter((build) => build.id !== entry.live && isOpen(build));
  const given = older.reduce((before, { id }) => discarded(before, id, now), entry);
  return added(given, newBuild(entry, version, 'serve', { ...SERVED, isApproved: true }, now));
};

/** Refuses what would wait until the projection is resumed. @throws HttpError (409) while it is paused */
export const refusePaused = ({ name, paused }: Entry): void => {
  if (paused) throw conflict(`${name} is paused; resume it first`);
};

const otherVersion = (name: string, live: Build, version: number) =>
  conflict(`${live.id} is served, and this code is of version ${version} of ${name}`);

/** @throws HttpError (409) for a build of another version, which this code does not go on with */
const refuseOther = (build: Build, version: number): void => {
  if (build.version !== version)
    throw conflict(`${build.id} is under way, and this code is of version ${version}; cancel it first`);
};

/**
 * Asks for a build that is to replace the active one. A build under way goes on, as does the active one until it is
 * complete, which never becomes strict; one that differs is served if it is approved now.
 *
 * @throws HttpError (409) while paused, or when a build of another version or an unapproved one is in the way
 */
export const rebuilt = (entry: Entry, version: number, options: BuildOptions, now: string): Entry => {
  refusePaused(entry);
  const next = nextBuild(entry);
  if (next) refuseOther(next, version);
  if (next?.step === 'differs' && !options.isApproved)
    throw conflict(`${next.id} differs from what is served; approve it, or cancel it to build it anew`);
  if (next) return changed(entry, next.id, { ...options, step: again(next.step), stoppedBy: null });
  const live = liveBuild(entry);
  if (live.step !== 'ready' && live.version === version)
    return changed(entry, live.id, { throttle: options.throttle, stoppedBy: null });
  if (live.version > version) throw otherVersion(entry.name, live, version);
  return added(entry, newBuild(entry, version, 'serve', options, now));
};

/** The next step of a build that waited for an operator. */
const again = (step: Step): Step => (step === 'differs' ? 'verify' : step === 'stopped' ? 'build' : step);

/** Asks for a build only to compare it with the active one, unless one is under way. */
export const checked = (entry: Entry, version: number, throttle: number | null, now: string): Entry => {
  refusePaused(entry);
  const check = checkBuild(entry);
  if (check) refuseOther(check, version);
  if (check) return changed(entry, check.id, { throttle, step: again(check.step), stoppedBy: null });
  const live = liveBuild(entry);
  if (live.step !== 'ready') throw conflict(`${entry.name} is being built for the first time, as ${live.id}`);
  // Builds of different versions are meant to differ.
  if (live.version !== version) throw otherVersion(entry.name, live, version);
  return added(entry, newBuild(entry, version, 'check', { ...AS_USUAL, throttle }, now));
};

/** 10 s for every instance to learn that the build is discarded. */
const GRACE_HOURS = 10 / 3_600;
const discarded = (entry: Entry, id: string, now: string): Entry =>
  changed(entry, id, { step: 'discarded', keptUntil: hoursAfter(now, GRACE_HOURS) });

/** Gives up the builds under way beside the active one. @throws HttpError (409) when there is none */
export const cancelled = (entry: Entry, now: string): Entry => {
  const open = entry.builds.filter((build) => build.id !== entry.live && isOpen(build));
  if (open.length === 0) throw conflict(`No build of ${entry.name} is under way`);
  return open.reduce((before, { id }) => discarded(before, id, now), entry);
};

/** The next step of a build after its own work. Leaves one alone that was discarded or completed meanwhile. */
export const stepped = (
  entry: Entry,
  id: string,
  step: Step,
  more: { verification?: Verification; progress?: Build['progress']; stoppedBy?: string | null } = {},
): Entry => {
  const build = buildWith(entry, id);
  if (!build || build.step === 'discarded' || build.step === 'ready') return entry;
  const { verification: report } = more;
  const done = changed(entry, id, { step, ...more });
  return { ...done, ...(report && { verified: { build: id, report } }) };
};

/** Makes a build the active one. The one it replaces is kept as a standby for a while, or discarded if incomplete. */
export const switched = (entry: Entry, id: string, now: string): Entry => {
  const build = buildWith(entry, id);
  if (!build || build.step === 'discarded' || id === entry.live) return entry;
  const left =
    liveBuild(entry).step === 'ready'
      ? changed(entry, entry.live, { keptUntil: hoursAfter(now, build.keepHours) })
      : discarded(entry, entry.live, now);
  return {
    ...changed(left, id, { step: 'ready', isStrict: false, keptUntil: null }),
    live: id,
    perSecond: build.progress?.perSecond ?? entry.perSecond,
  };
};

/**
 * Applies a comparison: a build that equals the active one, or is approved, replaces it; one made only to be compared
 * is discarded; any other waits for an operator to decide.
 */
export const compared = (entry: Entry, id: string, report: Verification, now: string): Entry => {
  const build = buildWith(entry, id);
  if (build?.step !== 'verify') return entry;
  const told = stepped(entry, id, 'differs', { verification: report });
  if (build.purpose === 'check') return discarded(told, id, now);
  return report.total === 0 || build.isApproved ? switched(told, id, now) : told;
};

/** Makes the last standby build of a version active again. @throws HttpError (409) when there is none */
export const rolledBack = (entry: Entry, version: number, now: string): Entry => {
  const kept = entry.builds.filter(({ id, step }) => step === 'ready' && id !== entry.live);
  const back = kept.findLast((build) => build.version === version);
  if (!back) {
    const others = [...new Set(kept.map((build) => build.version))].join(', ');
    throw conflict(
      others === ''
        ? `No other build of ${entry.name} is kept`
        : `The builds of ${entry.name} that are kept are of version ${others}; start the code of that version`,
    );
  }
  return switched(entry, back.id, now);
};

export const paused = (entry: Entry, by: string, now: string): Entry => ({
  ...entry,
  paused: entry.paused ?? { since: now, by },
});
export const resumed = (entry: Entry): Entry => ({ ...entry, paused: null });

/** Discards the builds whose time to be kept is over, except those in use by code of a version. */
export const tidied = (entry: Entry, version: number, now: string): Entry => {
  const inUse = [entry.live, served(entry, version).id];
  return entry.builds
    .filter((build) => !inUse.includes(build.id) && build.step !== 'discarded' && isOver(build, now))
    .reduce((before, { id }) => discarded(before, id, now), entry);
};

/** Forgets a build whose documents are dropped. */
export const dropped = (entry: Entry, id: string): Entry => ({
  ...entry,
  builds: entry.builds.filter((build) => build.id !== id || build.id === entry.live),
});
