import { projections } from '../../projections/index.ts';
import { openEventReader } from '../../src/event-store/embedded/reader.ts';
import { startProjector } from '../../src/projector/projector.ts';
import { openMongoReadModels } from '../../src/read-models/mongodb/read-models.ts';
import { LeaseLostError, type ReadModelStore } from '../../src/read-models/port.ts';
import type { FromChild, ToChild } from './projector-child.ts';

/**
 * A projector in a process of its own, to be forked: it projects the event log of a file into a MongoDB database, and
 * reports what it does. Small batches and transactions, so that there are many points of interruption.
 */
const [file = '', url = ''] = process.argv.slice(2);
const tell = (message: FromChild): void => void process.send?.(message);

const eventStore = openEventReader(file);
const stored = openMongoReadModels({ url });
let [isToPause, isToPauseBetween] = [false, false];

/** Reports each batch before it is stored; stops first where the test asks for it. */
const readModels: ReadModelStore = {
  ...stored,
  async commit(projection, writes, checkpoint) {
    if (writes.length > 0) {
      tell({ kind: 'storing', projection: projection.name });
      if (isToPause) process.kill(process.pid, 'SIGSTOP');
      isToPause = false;
    }
    await stored.commit(projection, writes, checkpoint);
    if (!checkpoint.isBetween || !isToPauseBetween) return;
    isToPauseBetween = false;
    await new Promise<void>((resolve) =>
      process.send?.({ kind: 'between', projection: projection.name } satisfies FromChild, () => resolve()),
    );
    process.kill(process.pid, 'SIGSTOP');
  },
};

const projector = await startProjector({
  eventStore,
  readModels,
  // In the event log's order: other tests cover group-by-group builds.
  projections: projections.map(({ shared: _, ...projection }) => projection),
  batchSize: 25,
  maxWaiting: 50,
  maxDocuments: 3,
  onError: (projection, error) =>
    tell({
      kind: 'failed',
      projection,
      isLeaseLost: error instanceof LeaseLostError,
      message: error instanceof Error ? error.message : String(error),
    }),
});

process.on('message', (message: ToChild) => {
  switch (message.kind) {
    case 'appended':
      eventStore.advance(message.position);
      return;
    case 'pause':
      isToPause = true;
      return;
    case 'pause between':
      isToPauseBetween = true;
      return;
    case 'stop':
      void stop();
  }
});

const stop = async (): Promise<void> => {
  await projector.stop();
  await readModels.close();
  await eventStore.close();
  process.disconnect();
};

tell({ kind: 'started' });
