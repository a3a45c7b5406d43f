import type { Position } from '../event-store/port.ts';
import { isOutOfMemory, streamOfThread } from '../lib/thread-stream.ts';
import type { EventStoreSettings, StoreSettings } from '../stores.ts';
import type { ApplyGroups, BuildPart, GroupBuild, NamedBuild } from '../projector/apply-groups.ts';

/** So many events are applied sooner than threads are started. */
const FEW = 2_000;

/** Positions in a file count its events. */
const isShort = ({ kind }: EventStoreSettings, upTo: Position): boolean =>
  kind === 'sqlite' && Number(upTo) <= FEW;

/** Of shared collections, and what is made of a few batches. */
const HEAP_MB = 192;
const YOUNG_MB = 32;
/** Where there are so many shared documents that it was not enough, the next thread has so many times as much. */
const MORE_HEAP = 2;

/**
 * Applies the events of builds in threads of their own, which read and sort them in others.
 *
 * @param here does it in this thread, where a log is short
 */
export const groupApplierThread = (settings: StoreSettings, here: ApplyGroups): ApplyGroups => {
  let heapMb = HEAP_MB;
  async function* there(build: GroupBuild, signal: AbortSignal): AsyncGenerator<BuildPart, void, undefined> {
    const starts = build.starts.map(({ projection: { name }, ...start }) => ({ ...start, name }));
    const named: NamedBuild = { ...build, starts };
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB };
    const options = { workerData: { settings, build: named }, resourceLimits };
    try {
      yield* streamOfThread<BuildPart>(
        new URL('./group-applier-thread.js', import.meta.url),
        options,
        signal,
      );
    } catch (error) {
      if (isOutOfMemory(error)) heapMb *= MORE_HEAP;
      throw error;
    }
  }
  return (build, signal) => (isShort(settings.eventStore, build.read.upTo) ? here : there)(build, signal);
};
