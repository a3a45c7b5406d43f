import { projections } from '../../projections/index.ts';
import { buildProjection } from '../builds/build-projection.ts';
import { projectionOfBuild } from '../builds/build.ts';
import type { EventStore } from '../event-store/port.ts';
import type { Projection } from '../projection.ts';
import { openBuilding, type ReadModelSettings } from '../stores.ts';
import { groupApplier, type BuildPart, type NamedBuild } from './apply-groups.ts';

const projectionNamed = (name: string): Projection => {
  const projection = projections.find((each) => each.name === projectionOfBuild(name));
  if (!projection) throw new Error(`There is no projection ${name}`);
  return projection.name === name ? projection : buildProjection(projection, name);
};

/** Applies the events of a build of projections that are known by their names. */
export const applyNamed = (
  { starts, ...build }: NamedBuild,
  readGroups: EventStore['readGroups'],
  readModels: ReadModelSettings,
  signal: AbortSignal,
): AsyncIterable<BuildPart> => {
  const apply = groupApplier(readGroups, (name) => openBuilding(readModels, name));
  const known = starts.map(({ name, ...start }) => ({ ...start, projection: projectionNamed(name) }));
  return apply({ ...build, starts: known }, signal);
};
