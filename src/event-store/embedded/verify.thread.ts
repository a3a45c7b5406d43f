import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../lib/thread-priority.ts';
import { streamToParent } from '../../lib/thread-stream.ts';
import { verifyLog } from './verify.ts';

lowerThreadPriority();
const { file } = workerData as { readonly file: string };
await streamToParent((signal) => verifyLog(file, signal));
