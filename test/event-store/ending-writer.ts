import { BroadcastChannel, workerData } from 'node:worker_threads';

/**
 * The writing thread, which ends between two batches when the test says so: a thread terminated from outside while
 * SQLite runs takes the whole process with it.
 */
const channel = new BroadcastChannel(String(workerData));
channel.onmessage = () => process.exit(1);
channel.unref();
// Imported last: the writer reports its start, after which the test may tell it to end.
await import('../../src/event-store/embedded/writer.thread.ts');
