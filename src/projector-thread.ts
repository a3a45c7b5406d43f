import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '../projections/index.ts';
import { openEventReader } from './event-store/embedded-reader.ts';
import { startProjector, type Projector } from './projector.ts';
import type { FromProjector, ProjectorFiles, ToProjector } from './projector-messages.ts';
import { openEmbeddedReadModels } from './read-models/embedded.ts';
import { noteTouched } from './read-models/touched.ts';

/**
 * The thread that keeps the read models up to date, so that folding never keeps a request waiting: it reads the log, folds
 * it, and holds the only writing connection to the read models.
 */
const { eventsFile, readModelsFile } = workerData as ProjectorFiles;
const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread');
const post = (message: FromProjector): void => port.postMessage(message);
const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const eventStore = openEventReader(eventsFile);
const readModels = openEmbeddedReadModels(readModelsFile);
const { noting, take } = noteTouched(readModels);
const started: { projector?: Projector } = {};
/** Empty while the projector starts. */
const status = () => started.projector?.status() ?? [];

const projector = await startProjector({
  eventStore,
  readModels: noting,
  projections,
  onError: (projection, error) =>
    post({ kind: 'failed', projection, error: asError(error), status: status() }),
});
started.projector = projector;
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

const tell = (): void =>
  post({ kind: 'stored', status: status(), isCaughtUp: projector.isCaughtUp(), touched: take() });

tell();
while (!stopping.signal.aborted) {
  await projector.next(stopping.signal);
  tell();
}
await projector.stop();
await readModels.close();
await eventStore.close();
port.close();
