import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '../projections/index.ts';
import { openEventReader } from './event-store/embedded-reader.ts';
import { startProjector } from './projector.ts';
import type { FromProjector, ProjectorFiles, ToProjector } from './projector-messages.ts';
import { openEmbeddedReadModels } from './read-models/embedded.ts';
import type { ReadModelStore, Touched, Write } from './read-models/port.ts';

/**
 * The thread that keeps the read models up to date, so that folding never keeps a request waiting: it reads the log, folds
 * it, and holds the only writing connection to the read models.
 */
const { eventsFile, readModelsFile } = workerData as ProjectorFiles;
const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread');
const post = (message: FromProjector): void => port.postMessage(message);

/** More than this are not told one by one. */
const MOST_TOUCHED = 1_000;
let touched: Touched[] | 'all' = [];

const partitionOf = ({ collection: { partition }, id, doc }: Write): string | null => {
  if (!doc) return null;
  const value = partition === 'id' ? id : (doc as Readonly<Record<string, unknown>>)[partition];
  return typeof value === 'string' ? value : null;
};

/** The same store; what it stores is noted. */
const noting = (store: ReadModelStore): ReadModelStore => ({
  ...store,
  async commit(projection, writes, checkpoint) {
    await store.commit(projection, writes, checkpoint);
    if (touched === 'all' || touched.length + writes.length > MOST_TOUCHED) touched = 'all';
    else
      for (const write of writes)
        touched.push({ collection: write.collection.name, id: write.id, partition: partitionOf(write) });
  },
});

const eventStore = openEventReader(eventsFile);
const readModels = openEmbeddedReadModels(readModelsFile);
const projector = await startProjector({
  eventStore,
  readModels: noting(readModels),
  projections,
  onError: (projection, error) => post({ kind: 'failed', projection, error, status: projector.status() }),
});
const stopping = new AbortController();

port.on('message', (message: ToProjector) => {
  switch (message.kind) {
    case 'appended':
      eventStore.advance(message.position);
      return;
    case 'stop':
      stopping.abort();
      return;
  }
});

const tell = (): void => {
  post({ kind: 'stored', status: projector.status(), isCaughtUp: projector.isCaughtUp(), touched });
  touched = [];
};

tell();
while (!stopping.signal.aborted) {
  await projector.next(stopping.signal);
  tell();
}
await projector.stop();
await readModels.close();
await eventStore.close();
port.close();
