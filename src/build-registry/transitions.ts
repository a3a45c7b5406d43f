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

/** What can happen to the builds of a projection: each gives the entry as it is after, or throws a Refusal. */

const HOUR_MS = 3_600_000;
const hoursAfter = (now: string, hours: number): string =>
  new Date(Date.parse(now) + hours * HOUR_MS).toISOString();

const AS_USUAL: BuildOptions = { throttle: null, keepHours: KEEP_HOURS, isApproved: false, isStrict: true };
/** What is served must go on, whatever one of its events is like. */
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

/** A projection that nobody has heard of: its first build is served while it is being built. */
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
 * Of newer code than the live build: what it folds differently is built beside it. That it differs is intended. What older
 * code had under way is given up.
 */
export const withVersion = (entry: Entry, version: number, now: string): Entry => {
  if (entry.builds.some((build) => build.version >= version && build.step !== 'discarded')) return entry;
  const older = entry.builds.filter((build) => build.id !== entry.live && isOpen(build));
  const given = older.reduce((before, { id }) => discarded(before, id, now), entry);
  return added(given, newBuild(entry, version, 'serve', { ...SERVED, isApproved: true }, now));
};

/** What is asked for would wait for as long as nothing is folded. @throws Refusal (409) while it is paused */
export const refusePaused = ({ name, paused }: Entry): void => {
  if (paused) throw conflict(`${name} is paused; resume it first`);
};

const otherVersion = (name: string, live: Build, version: number) =>
  conflict(`${live.id} is served, and this code is of version ${version} of ${name}`);

/** @throws Refusal (409) for a build that nobody goes on with as long as this code runs */
const refuseOther = (build: Build, version: number): void => {
  if (build.version !== version)
    throw conflict(`${build.id} is under way, and this code is of version ${version}; cancel it first`);
};

/**
 * Has a build made that is to take the live one's place. One that is under way already is gone on with, as is the live one
 * until it is complete, which is always tolerant; one that differs is served if that is approved now.
 *
 * @throws Refusal (409) when nothing can be done about what is under way
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

/** What is done with a build that waited for somebody. */
const again = (step: Step): Step => (step === 'differs' ? 'verify' : step === 'stopped' ? 'build' : step);

/** Has a build made from the log only to be compared with the live one, unless one is under way. */
export const checked = (entry: Entry, version: number, throttle: number | null, now: string): Entry => {
  refusePaused(entry);
  const check = checkBuild(entry);
  if (check) refuseOther(check, version);
  if (check) return changed(entry, check.id, { throttle, step: again(check.step), stoppedBy: null });
  const live = liveBuild(entry);
  if (live.step !== 'ready') throw conflict(`${entry.name} is being built for the first time, as ${live.id}`);
  // What another version folds is meant to differ.
  if (live.version !== version) throw otherVersion(entry.name, live, version);
  return added(entry, newBuild(entry, version, 'check', { ...AS_USUAL, throttle }, now));
};

/** Time for every instance to learn that it is not to go on. */
const GRACE_HOURS = 10 / 3_600;
const discarded = (entry: Entry, id: string, now: string): Entry =>
  changed(entry, id, { step: 'discarded', keptUntil: hoursAfter(now, GRACE_HOURS) });

/** Gives up what is under way beside the live build. @throws Refusal (409) when nothing is */
export const cancelled = (entry: Entry, now: string): Entry => {
  const open = entry.builds.filter((build) => build.id !== entry.live && isOpen(build));
  if (open.length === 0) throw conflict(`No build of ${entry.name} is under way`);
  return open.reduce((before, { id }) => discarded(before, id, now), entry);
};

/** What a build's own work leads to. Leaves a build alone that was discarded or is served meanwhile. */
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

/** Has a build served in place of the live one, which is kept for a while; one that is not complete is of no use. */
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
 * What comes of a comparison: a build that is as the live one, or may differ from it, takes its place; one that was only to be
 * compared is discarded; any other waits for somebody to decide.
 */
export const compared = (entry: Entry, id: string, report: Verification, now: string): Entry => {
  const build = buildWith(entry, id);
  if (build?.step !== 'verify') return entry;
  const told = stepped(entry, id, 'differs', { verification: report });
  if (build.purpose === 'check') return discarded(told, id, now);
  return report.total === 0 || build.isApproved ? switched(told, id, now) : told;
};

/** @throws Refusal (409) when none is kept that this code can go on with */
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

/** Discards what was kept long enough, but for what code of a version serves. */
export const tidied = (entry: Entry, version: number, now: string): Entry => {
  const inUse = [entry.live, served(entry, version).id];
  return entry.builds
    .filter((build) => !inUse.includes(build.id) && build.step !== 'discarded' && isOver(build, now))
    .reduce((before, { id }) => discarded(before, id, now), entry);
};

/** Forgets a build whose documents are gone. */
export const dropped = (entry: Entry, id: string): Entry => ({
  ...entry,
  builds: entry.builds.filter((build) => build.id !== id || build.id === entry.live),
});
