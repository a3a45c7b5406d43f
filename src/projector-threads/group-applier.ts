import { toBuildProjection } from '../projector/build-projection.ts';
import { projectionNameOfBuild } from '../projector/build-id.ts';
import type { EventLog } from '../event-store/port.ts';
import { lowerThreadPriority } from '../lib/thread-priority.ts';
import { streamFromNewWorker } from '../lib/worker-client.ts';
import type { TaskHandler } from '../lib/worker-task.ts';
import type { Projection } from '../projector/projection.ts';
import { openInterruptedBuildReader, type EventStoreSettings } from '../stores.ts';
import { createBuildGroupApplier } from '../projector/apply-groups.ts';
import type { ApplyGroupsProtocol, ReadGroupsProtocol } from './messages.ts';

/** The thread parses nothing: text is all that it holds. */
export const GROUP_READER_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/** `readGroups` in a thread of its own: SQLite sorts for seconds, and blocks its thread meanwhile. */
export const createThreadedGroupReader =
  (settings: EventStoreSettings): EventLog['readGroups'] =>
  (read, signal) =>
    streamFromNewWorker<ReadGroupsProtocol>(
      new URL('./group-reader.thread.js', import.meta.url),
      { settings, read },
      { resourceLimits: GROUP_READER_LIMITS, signal },
    );

const projectionNamed = (projections: readonly Projection[], name: string): Projection => {
  const projection = projections.find((each) => each.name === projectionNameOfBuild(name));
  if (!projection) throw new Error(`There is no projection ${name}`);
  return projection.name === name ? projection : toBuildProjection(projection, name);
};

/** Applies the events of builds of some projections. */
export const createGroupApplierTaskHandler = (
  projections: readonly Projection[],
): TaskHandler<ApplyGroupsProtocol> => ({
  run({ settings, build, servesRequests }, { signal }) {
    const starts = build.starts.map(({ name, ...start }) => ({
      ...start,
      projection: projectionNamed(projections, name),
    }));
    const apply = createBuildGroupApplier(createThreadedGroupReader(settings.eventStore), (name) =>
      openInterruptedBuildReader(settings.readModels, name),
    );
    // Before the reader's thread starts, which inherits it.
    if (servesRequests) lowerThreadPriority();
    return apply({ ...build, starts }, signal);
  },
});
