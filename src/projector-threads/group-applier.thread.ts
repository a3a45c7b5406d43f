import { workerData } from 'node:worker_threads';
import { projections } from '../../projections/index.ts';
import { asBuild } from '../projector/build-projection.ts';
import { projectionOfBuild } from '../build-registry/build.ts';
import { lowerThreadPriority } from '../lib/thread-priority.ts';
import { streamToParent } from '../lib/thread-stream.ts';
import type { Projection } from '../projector/projection.ts';
import { openInterruptedBuild, type StoreSettings } from '../stores.ts';
import { groupApplier, type NamedBuild } from '../projector/apply-groups.ts';
import { groupReader } from './group-reader.ts';

const { settings, build, servesRequests } = workerData as {
  readonly settings: StoreSettings;
  readonly build: NamedBuild;
  readonly servesRequests: boolean;
};

const projectionNamed = (name: string): Projection => {
  const projection = projections.find((each) => each.name === projectionOfBuild(name));
  if (!projection) throw new Error(`There is no projection ${name}`);
  return projection.name === name ? projection : asBuild(projection, name);
};

const starts = build.starts.map(({ name, ...start }) => ({ ...start, projection: projectionNamed(name) }));
const apply = groupApplier(groupReader(settings.eventStore), (name) =>
  openInterruptedBuild(settings.readModels, name),
);
// Before the reader's thread starts, which inherits it.
if (servesRequests) lowerThreadPriority();
await streamToParent((signal) => apply({ ...build, starts }, signal));
