import { parentPort, workerData } from 'node:worker_threads';
import { DomainError } from '../../errors/domain-error.ts';
import { openLog } from '../../stores.ts';
import { prepareCopy, type Preparation, type PreparationMessage, type PreparationNews } from './prepare.ts';

const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread');
const post = (message: PreparationMessage): void => port.postMessage(message);
// Given by `prepareInThread`.
const preparation = workerData as Preparation;

const stopping = new AbortController();
port.once('message', () => stopping.abort(new Error('The preparation was stopped')));

/** The parent is told of one of a kind in so many milliseconds. */
const EVERY_MS = 200;
let toldAt = 0;
const tell = (news: PreparationNews): void => {
  if (news.kind === 'applied' && performance.now() - toldAt < EVERY_MS) return;
  toldAt = performance.now();
  post({ kind: 'news', news });
};

const log = await openLog(preparation.eventStore, (error) => post({ kind: 'dropped', error }));
try {
  const position = await prepareCopy(log, preparation, { signal: stopping.signal, onNews: tell });
  post({ kind: 'done', position });
} catch (error) {
  if (!(error instanceof DomainError)) throw error;
  post({ kind: 'refused', message: error.message });
} finally {
  await log.close();
  port.close();
}
