import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '../projections/index.ts';
import { startProjector, type Projector } from './projector.ts';
import type { FromProjector, ToProjector } from './projector-messages.ts';
import { noteTouched } from './read-models/touched.ts';
import { awaitedServer, openLog, openReadModelStore, type StoreSettings } from './stores.ts';

/**
 * The thread that keeps the read models up to date, so that folding never keeps a request waiting: it reads the log, folds
 * it, and holds the only connection that writes read models.
 */
const settings = workerData as StoreSettings;
const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread');
const post = (message: FromProjector): void => port.postMessage(message);
const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const stopping = new AbortController();
const eventStore = await openLog(settings.eventStore, (error) =>
  post({ kind: 'dropped', error: asError(error) }),
);
const readModels = await openReadModelStore(settings.readModels, (line) => post({ kind: 'warned', line }));
const { noting, take } = noteTouched(readModels);

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

const onError = (projection: string, error: unknown): void =>
  post({ kind: 'failed', projection, error: asError(error), waitsFor: awaitedServer(error) });

const RETRY_MS = 1_000;
/** A server that does not answer is waited for; whatever else keeps the projector from starting ends the thread. */
const start = async (): Promise<Projector | undefined> => {
  while (!stopping.signal.aborted) {
    try {
      return await startProjector({ eventStore, readModels: noting, projections, onError });
    } catch (error) {
      if (awaitedServer(error) === undefined) throw error;
      onError('all', error);
      await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  return undefined;
};

/** Tells what changes until the thread is to stop. */
const run = async (projector: Projector): Promise<void> => {
  const tell = (): void =>
    post({ kind: 'stored', status: projector.status(), isCaughtUp: projector.isCaughtUp(), touched: take() });
  tell();
  while (!stopping.signal.aborted) {
    await projector.next(stopping.signal);
    tell();
  }
  await projector.stop();
};

const projector = await start();
if (projector) await run(projector);
await readModels.close();
await eventStore.close();
port.close();
