import type { Build, Entry } from './build.ts';

/** What an entry says of its builds. */

export const buildWith = ({ builds }: Entry, id: string): Build | undefined =>
  builds.find((build) => build.id === id);

/** The one that is served. */
export const liveBuild = (entry: Entry): Build => {
  const live = buildWith(entry, entry.live);
  if (!live) throw new Error(`The projection ${entry.name} has no build ${entry.live}`);
  return live;
};

/** Whether it is under way, or waits for somebody. */
export const isOpen = ({ step }: Build): boolean => step !== 'ready' && step !== 'discarded';

/** The one that is to take the live one's place, if there is one. */
export const nextBuild = (entry: Entry): Build | undefined =>
  entry.builds.find((build) => build.purpose === 'serve' && build.id !== entry.live && isOpen(build));

/** The one that is made only to be compared with the live one, if there is one. */
export const checkBuild = (entry: Entry): Build | undefined =>
  entry.builds.find((build) => build.purpose === 'check' && isOpen(build));

/** Whether it was kept for as long as it was to be. @param now RFC 3339 */
export const isOver = ({ keptUntil }: Build, now: string): boolean => keptUntil !== null && keptUntil <= now;

/** Those whose documents can go. */
export const droppable = (entry: Entry, now: string): Build[] =>
  entry.builds.filter((build) => build.id !== entry.live && build.step === 'discarded' && isOver(build, now));

/** The builds that code of a version folds: kept ones too, so that going back to one is only a switch. */
export const folded = (entry: Entry, version: number): Build[] =>
  entry.paused
    ? []
    : entry.builds.filter(
        (build) => build.version === version && build.step !== 'discarded' && build.step !== 'stopped',
      );

/**
 * The build that code of a version serves: the live one, or its own where that is of another version and its own is complete,
 * as when instances with newer code have switched already, or with older code have gone back.
 */
export const served = (entry: Entry, version: number): Build => {
  const live = liveBuild(entry);
  if (live.version === version) return live;
  return entry.builds.findLast((build) => build.version === version && build.step === 'ready') ?? live;
};
