import type { BuildRegistry } from '../../src/builds/registry.ts';
import type { ParkedByBuild } from '../../src/builds/releases.ts';
import type { Checkpoint, ParkedStream, ReadModelStore } from '../../src/read-models/port.ts';

/** No parked streams in any build. */
export const nothingParked = (): Promise<ParkedByBuild> => Promise.resolve(new Map());

/** A stream that is parked at one of its events. */
export const parkedAt = (stream: string, revision: number, more: Partial<ParkedStream> = {}): ParkedStream => ({
  stream,
  revision,
  position: '7',
  event: `event ${revision} of ${stream}`,
  type: 'OfficeRecorded',
  error: 'a bug',
  stack: 'Error: a bug',
  at: '2026-03-01T09:30:00.000Z',
  release: 0,
  underWay: 0,
  ...more,
});

/** The checkpoints of all builds in a build registry; leaves out builds without one. */
export const checkpointsOf =
  (registry: Pick<BuildRegistry, 'all'>, readModels: Pick<ReadModelStore, 'checkpointOf'>) =>
  async (): Promise<ReadonlyMap<string, Checkpoint>> => {
    const builds = [...(await registry.all()).values()].flatMap((record) => record.builds);
    const found = new Map<string, Checkpoint>();
    for (const { id } of builds) {
      const checkpoint = await readModels.checkpointOf(id);
      if (checkpoint) found.set(id, checkpoint);
    }
    return found;
  };
