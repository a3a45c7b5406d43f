import { BroadcastChannel, workerData } from 'node:worker_threads';
import type { WriterData } from '../../src/event-store/embedded/writer.ts';

/**
 * The writing thread, which ends when it is told to, between two batches: one that is ended from outside while SQLite runs
 * takes the whole process with it.
 */
const { file } = workerData as WriterData;
const channel = new BroadcastChannel(file);
channel.onmessage = () => process.exit(1);
channel.unref();
// Only now, as it can be told to end once it has said that it has started.
await import('../../src/event-store/embedded/writer.ts');
