import { parentPort, workerData } from 'node:worker_threads';
import { DomainError } from '../../errors/domain-error.ts';
import { exportHere, type ExportMessage, type ExportOrder } from './export-here.ts';

const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread');
const post = (message: ExportMessage): void => port.postMessage(message);
// Given by `exportBeside`.
const order = workerData as ExportOrder;

const stopping = new AbortController();
port.once('message', () => stopping.abort(new Error('The export was stopped')));

try {
  const manifest = await exportHere(order, {
    signal: stopping.signal,
    onRead: (events, of) => post({ kind: 'read', events, of }),
    onDropped: (error) => post({ kind: 'dropped', error }),
  });
  post({ kind: 'done', manifest });
} catch (error) {
  if (!(error instanceof DomainError)) throw error;
  post({ kind: 'refused', message: error.message });
} finally {
  port.close();
}
