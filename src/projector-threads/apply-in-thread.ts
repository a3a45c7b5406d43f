import type { Position } from '../event-store/port.ts';
import { isOutOfMemory, streamFromNewWorker } from '../lib/worker-client.ts';
import type { EventStoreSettings, StoreSettings } from '../stores.ts';
import type { ApplyGroupsProtocol } from './messages.ts';
import type { ApplyGroups, BuildPart, GroupBuildRequest } from '../projector/apply-groups.ts';

/** So many events are applied sooner than a thread starts. */
const FEW = 2_000;

/** Positions in a file count its events. */
const isShort = ({ kind }: EventStoreSettings, upTo: Position): boolean => kind === 'sqlite' && Number(upTo) <= FEW;

/** For shared documents, and what a few batches yield. */
const HEAP_MB = 192;
const YOUNG_MB = 32;
/** After many shared documents took all memory of a thread, the next one has so many times as much. */
const MORE_HEAP = 2;

/**
 * Applies the events of a build in a thread of its own, for which another thread reads and sorts them.
 *
 * @param applier the module of that thread
 * @param here applies them in this thread, where the event log is short
 * @param servesRequests whether this process answers requests: the build's threads have a lower priority then, which
 *   costs a tenth of its speed
 */
export const createThreadedGroupApplier = (
  applier: URL,
  settings: StoreSettings,
  here: ApplyGroups,
  servesRequests: boolean,
): ApplyGroups => {
  let heapMb = HEAP_MB;
  async function* there(build: GroupBuildRequest, signal: AbortSignal): AsyncGenerator<BuildPart, void, undefined> {
    const starts = build.starts.map(({ projection: { name }, ...start }) => ({ ...start, name }));
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB };
    try {
      yield* streamFromNewWorker<ApplyGroupsProtocol>(
        applier,
        { settings, build: { ...build, starts }, servesRequests },
        { resourceLimits, signal },
      );
    } catch (error) {
      if (isOutOfMemory(error)) heapMb *= MORE_HEAP;
      throw error;
    }
  }
  return (build, signal) => (isShort(settings.eventStore, build.read.upTo) ? here : there)(build, signal);
};
