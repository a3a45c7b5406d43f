import { workerData } from 'node:worker_threads';
import { serveAppends, type WriterData } from './serve-appends.ts';

serveAppends(workerData as WriterData);
