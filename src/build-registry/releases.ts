import { conflict } from '../errors/http-error.ts';
import type { ParkedAt, ParkedStream } from '../read-models/port.ts';
import { MAX_RELEASES, type Build, type Entry, type Release } from './build.ts';
import { refusePaused } from './transitions.ts';

/** By build, what its checkpoint says is parked. */
export type ParkedByBuild = ReadonlyMap<string, { readonly parked: readonly ParkedStream[] }>;

/**
 * Whether a release is still to be carried out: its stream is parked at the event that it was asked for, and was not tried
 * since, or it was interrupted.
 */
export const isDue = ({ stream, event, number }: Release, parked: readonly ParkedAt[]): boolean =>
  parked.some(
    (each) =>
      each.stream === stream && (each.underWay === number || (each.event === event && each.release < number)),
  );

/** The releases of a build that are still to be carried out. */
export const dueReleases = ({ releases }: Build, parked: readonly ParkedAt[]): Release[] =>
  releases.filter((release) => isDue(release, parked));

/**
 * Asks for parked streams to be applied again, or without the event at which each is parked, in every build. What is asked
 * for stays recorded: should a power failure take from the read models what was applied, it is applied again.
 *
 * @param stream left out: all streams
 * @throws Refusal (409) when nothing is parked there, and while the projection is paused
 */
export const requested = (
  entry: Entry,
  parked: ParkedByBuild,
  kind: Release['kind'],
  stream: string | undefined,
): Entry => {
  refusePaused(entry);
  const isMeant = (each: ParkedStream) => stream === undefined || each.stream === stream;
  const meant = (id: string) => parked.get(id)?.parked.filter(isMeant) ?? [];
  if (entry.builds.every(({ id }) => meant(id).length === 0))
    throw conflict(
      stream === undefined
        ? `No stream of ${entry.name} is parked`
        : `The stream ${stream} is not parked in ${entry.name}`,
    );
  const builds = entry.builds.map((build): Build => {
    const last = build.releases.at(-1)?.number ?? 0;
    const added = meant(build.id).map(({ stream: name, revision, event }, index) => ({
      number: last + 1 + index,
      stream: name,
      revision,
      event,
      kind,
    }));
    return { ...build, releases: [...build.releases, ...added].slice(-MAX_RELEASES) };
  });
  return { ...entry, builds };
};
