import { conflict } from '../errors/domain-error.ts';
import type { ParkedStreamRef, ParkedStream } from '../read-models/port.ts';
import { isPendingRelease, type StreamRelease } from '../projector/release.ts';
import { MAX_RELEASES, type Build, type ProjectionBuilds } from './build-schema.ts';
import { refusePaused } from './transitions.ts';

/** The parked streams of each build's checkpoint, by build id. */
export type ParkedByBuild = ReadonlyMap<string, { readonly parked: readonly ParkedStream[] }>;

/** The releases of a build that are still to be carried out. */
export const pendingReleases = ({ releases }: Build, parked: readonly ParkedStreamRef[]): StreamRelease[] =>
  releases.filter((release) => isPendingRelease(release, parked));

/**
 * Records releases in every build: parked streams are applied again, with or without their poison events. Releases stay
 * recorded, to be carried out again where a power failure takes their effect from the read models.
 *
 * @param stream left out: all streams
 * @throws DomainError when no such stream is parked, and while the projection is paused
 */
export const requestReleases = (
  record: ProjectionBuilds,
  parked: ParkedByBuild,
  kind: StreamRelease['kind'],
  stream: string | undefined,
): ProjectionBuilds => {
  refusePaused(record);
  const isMeant = (each: ParkedStream) => stream === undefined || each.stream === stream;
  const meant = (id: string) => parked.get(id)?.parked.filter(isMeant) ?? [];
  if (record.builds.every(({ id }) => meant(id).length === 0))
    throw conflict(
      stream === undefined
        ? `No stream of ${record.name} is parked`
        : `The stream ${stream} is not parked in ${record.name}`,
    );
  const builds = record.builds.map((build): Build => {
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
  return { ...record, builds };
};
