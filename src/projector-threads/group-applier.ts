import { asBuild } from '../projector/build-projection.ts';
import { projectionOfBuild } from '../projector/build-id.ts';
import { lowerThreadPriority } from '../lib/thread-priority.ts';
import type { TaskWorker } from '../lib/worker-task.ts';
import type { Projection } from '../projector/projection.ts';
import { openInterruptedBuild } from '../stores.ts';
import { groupApplier } from '../projector/apply-groups.ts';
import type { ApplyGroupsTask } from './messages.ts';
import { readGroupsInThread } from './group-reader.ts';

const projectionNamed = (projections: readonly Projection[], name: string): Projection => {
  const projection = projections.find((each) => each.name === projectionOfBuild(name));
  if (!projection) throw new Error(`There is no projection ${name}`);
  return projection.name === name ? projection : asBuild(projection, name);
};

/** Applies the events of builds of some projections. */
export const groupApplierWorker = (projections: readonly Projection[]): TaskWorker<ApplyGroupsTask> => ({
  run({ settings, build, servesRequests }, { signal }) {
    const starts = build.starts.map(({ name, ...start }) => ({
      ...start,
      projection: projectionNamed(projections, name),
    }));
    const apply = groupApplier(readGroupsInThread(settings.eventStore), (name) =>
      openInterruptedBuild(settings.readModels, name),
    );
    // Before the reader's thread starts, which inherits it.
    if (servesRequests) lowerThreadPriority();
    return apply({ ...build, starts }, signal);
  },
});
