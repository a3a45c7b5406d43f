import { workerData } from 'node:worker_threads';
import { beat } from '../../lib/heartbeat.ts';
import { serveAppends, type WriterData } from './serve-appends.ts';

serveAppends(workerData as WriterData);
beat();
