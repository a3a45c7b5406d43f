import type { Catalogue } from '../src/builds/catalogue.ts';
import { quarantineIn } from '../src/builds/quarantine.ts';
import { superviseBuilds } from '../src/builds/supervise.ts';
import type { EventStore } from '../src/event-store/port.ts';
import type { Projection } from '../src/projection.ts';
import { startProjector } from '../src/projector.ts';
import type { ReadModelStore } from '../src/read-models/port.ts';

/** A projector with its supervisor, as a process has them. */
export interface Supervised {
  readonly isCaughtUp: () => boolean;
  readonly stop: () => Promise<void>;
}

export interface SupervisedOptions {
  readonly catalogue: Catalogue;
  readonly eventStore: EventStore;
  readonly readModels: ReadModelStore;
  readonly projections: readonly Projection[];
  readonly onError?: (projection: string, error: unknown) => void;
  readonly now?: () => string;
  readonly batchSize?: number;
  readonly mostWaiting?: number;
}

/** Starts both. @throws what a store throws as it starts */
export const startSupervised = async ({
  catalogue,
  eventStore,
  readModels,
  projections,
  onError = () => undefined,
  now = () => new Date().toISOString(),
  ...sizes
}: SupervisedOptions): Promise<Supervised> => {
  const stopping = new AbortController();
  const projector = await startProjector({
    eventStore,
    readModels,
    projections: [],
    onError,
    quarantine: quarantineIn(catalogue, now),
    retryAfterMs: { least: 1, most: 8 },
    ...sizes,
  });
  const supervisor = superviseBuilds({
    catalogue,
    eventStore,
    readModels,
    projector,
    projections,
    now,
    onError,
    changed: () => undefined,
    signal: stopping.signal,
  });
  await supervisor.start().catch(async (error: unknown) => {
    await projector.stop();
    throw error;
  });
  const running = supervisor.run();
  return {
    isCaughtUp: () => supervisor.isCaughtUp(),
    async stop() {
      stopping.abort();
      await running;
      await projector.stop();
    },
  };
};
