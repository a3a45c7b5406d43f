import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '../projections/index.ts';
import { startProjector } from './projector.ts';
import type { FromProjector, ToProjector } from './projector-messages.ts';
import { noteTouched } from './read-models/touched.ts';
import { openLog, openReadModelStore, type StoreSettings } from './stores.ts';

/**
 * The thread that keeps the read models up to date, so that folding never keeps a request waiting: it reads the log, folds
 * it, and holds the only connection that writes read models.
 */
const settings = workerData as StoreSettings;
const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread');
const post = (message: FromProjector): void => port.postMessage(message);
const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const eventStore = await openLog(settings.eventStore, (error) =>
  post({ kind: 'dropped', error: asError(error) }),
);
const readModels = await openReadModelStore(settings.readModels, (line) => post({ kind: 'warned', line }));
const { noting, take } = noteTouched(readModels);

const projector = await startProjector({
  eventStore,
  readModels: noting,
  projections,
  onError: (projection, error) => post({ kind: 'failed', projection, error: asError(error) }),
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

const tell = (): void =>
  post({ kind: 'stored', status: projector.status(), isCaughtUp: projector.isCaughtUp(), touched: take() });

tell();
while (!stopping.signal.aborted) {
  await projector.next(stopping.signal);
  tell();
}
await projector.stop();
await readModels.close();
await eventStore.close();
port.close();
