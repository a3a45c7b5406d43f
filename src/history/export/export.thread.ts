import { workerData } from 'node:worker_threads';
import { doOrdered, type Doing } from '../threads/ordered.ts';
import { exportHere, type ExportNews, type ExportOrder } from './export-here.ts';

// Given by `exportBeside`.
const order = workerData as ExportOrder;

await doOrdered((exporting: Doing<ExportNews>) => exportHere(order, exporting));
