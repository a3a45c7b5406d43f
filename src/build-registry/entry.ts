import type { Build, Entry } from './build.ts';

export const buildWith = ({ builds }: Entry, id: string): Build | undefined =>
  builds.find((build) => build.id === id);

/** The active build, which is served. */
export const liveBuild = (entry: Entry): Build => {
  const live = buildWith(entry, entry.live);
  if (!live) throw new Error(`The projection ${entry.name} has no build ${entry.live}`);
  return live;
};

/** Whether it is under way, or waits for an operator. */
export const isOpen = ({ step }: Build): boolean => step !== 'ready' && step !== 'discarded';

/** The build that is to replace the active one, if any. */
export const nextBuild = (entry: Entry): Build | undefined =>
  entry.builds.find((build) => build.purpose === 'serve' && build.id !== entry.live && isOpen(build));

/** The build made only to be compared with the active one, if any. */
export const checkBuild = (entry: Entry): Build | undefined =>
  entry.builds.find((build) => build.purpose === 'check' && isOpen(build));

/** Whether the time to keep a build is over. @param now RFC 3339 */
export const isOver = ({ keptUntil }: Build, now: string): boolean => keptUntil !== null && keptUntil <= now;

/** The builds whose documents can be dropped. */
export const droppable = (entry: Entry, now: string): Build[] =>
  entry.builds.filter((build) => build.id !== entry.live && build.step === 'discarded' && isOver(build, now));

/** The builds that code of a version applies events to: standby builds too, so that a rollback is only a switch. */
export const applied = (entry: Entry, version: number): Build[] =>
  entry.paused
    ? []
    : entry.builds.filter(
        (build) => build.version === version && build.step !== 'discarded' && build.step !== 'stopped',
      );

/**
 * The build that code of a version serves: the active one, or a complete one of its own version where the active one is
 * of another, as while instances with older and newer code run together.
 */
export const served = (entry: Entry, version: number): Build => {
  const live = liveBuild(entry);
  if (live.version === version) return live;
  return entry.builds.findLast((build) => build.version === version && build.step === 'ready') ?? live;
};
