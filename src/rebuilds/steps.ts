import { setTimeout as delay } from 'node:timers/promises';
import { START, type EventStore, type Position } from '../event-store/port.ts';
import type { Projection } from '../projector/projection.ts';
import type { Projector } from '../projector/projector.ts';
import type { ReadModelStore } from '../read-models/port.ts';
import { logicalName } from '../projector/build-projection.ts';
import type { Build, Entry, Release } from '../build-registry/build.ts';
import { changeKnown, type Catalogue } from '../build-registry/catalogue.ts';
import { createMeasure } from './measure.ts';
import { droppable, liveBuild } from '../build-registry/entry.ts';
import { compared, dropped, stepped, switched } from '../build-registry/transitions.ts';
import { verify } from './verify.ts';

export interface StepOptions {
  readonly catalogue: Catalogue;
  readonly eventStore: Pick<EventStore, 'head' | 'countOf' | 'shareOf'>;
  readonly readModels: ReadModelStore;
  readonly projector: Pick<Projector, 'status' | 'release'>;
  /** RFC 3339 */
  readonly now: () => string;
  /** The projection of a build. */
  readonly projectionOf: (projection: Projection, id: string) => Projection;
  /** Told of each entry that was changed. */
  readonly take: (entry: Entry) => void;
  readonly signal: AbortSignal;
}

const CATCH_UP_MS = 5_000;
const PAUSE_MS = 5;

/** What is done with builds, one step after another. */
export const createSteps = (options: StepOptions) => {
  const { catalogue, eventStore, readModels, projector, now, projectionOf, take, signal } = options;
  const measure = createMeasure({ catalogue, eventStore, now });

  const change = async (name: string, act: (entry: Entry) => Entry): Promise<void> => {
    take(await changeKnown(catalogue, name, act));
  };

  /** So that nobody who reads again after the switch sees less than before, as far as that can be waited for. */
  const caughtUpWith = async (id: string, liveId: string): Promise<void> => {
    const end = performance.now() + CATCH_UP_MS;
    while (performance.now() < end && !signal.aborted) {
      const live = (await readModels.checkpointOf(liveId))?.position ?? START;
      if (((await readModels.checkpointOf(id))?.position ?? START) >= live) return;
      await delay(PAUSE_MS);
    }
  };

  const compare = async (projection: Projection, entry: Entry, { id }: Build): Promise<void> => {
    const [live, built] = [projectionOf(projection, entry.live), projectionOf(projection, id)];
    const report = await verify(readModels, { live, built }, { now, logicalName, signal });
    await caughtUpWith(id, entry.live);
    // What was compared with another one than is live by now is compared again, and what stood still because of a pause.
    await change(projection.name, (before) =>
      before.live === entry.live && !before.paused ? compared(before, id, report, now()) : before,
    );
  };

  return {
    /**
     * Takes a build on that is folded here; resolves when its step is done or not yet due.
     *
     * @param head where the log ended a moment ago; undefined while nobody knows
     */
    async take(
      projection: Projection,
      entry: Entry,
      build: Build,
      head: Position | undefined,
    ): Promise<void> {
      const { name } = projection;
      const { id } = build;
      const status = projector.status().find((each) => each.name === id);
      if (!status?.isHere) return;
      if (status.stopped === (build.isStrict ? 'strict' : 'tolerant')) {
        const stoppedBy = status.lastError ?? '';
        // What is served goes on when it can: that it does not is only noted.
        const step = id === entry.live ? build.step : 'stopped';
        if (step !== build.step || stoppedBy !== build.stoppedBy)
          await change(name, (before) => stepped(before, id, step, { stoppedBy }));
      } else if (build.step === 'build') {
        const isBehind = head === undefined || status.position < head;
        await measure.note(name, projection, build, status, { isLast: !isBehind });
        if (isBehind) return;
        if (id === entry.live)
          await change(name, (before) => stepped(before, id, 'ready', { stoppedBy: null }));
        else if (build.purpose === 'serve' && liveBuild(entry).version < build.version)
          // That its documents differ is what the other version is for.
          await change(name, (before) => switched(before, id, now()));
        else await change(name, (before) => stepped(before, id, 'verify'));
      } else if (build.step === 'verify') {
        await compare(projection, entry, build);
      }
    },

    /** Has parked streams applied where an operator has asked for that. */
    async release(id: string, releases: readonly Release[]): Promise<void> {
      for (const each of releases) await projector.release(id, each);
    },

    /** Drops the documents of builds that nobody wants, and forgets those builds. */
    async drop(entry: Entry): Promise<void> {
      for (const { id } of droppable(entry, now())) {
        await readModels.drop(id);
        await change(entry.name, (before) => dropped(before, id));
      }
    },
  };
};
