// @ts-check
/**
 * Copies a history into a new file of Emmett's: `node src/load.js <our events.db> <emmett db file> [--limit N]`.
 * Every event keeps its place in the log and in its stream.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { appendInBatches } from './append-in-batches.js';
import { readEvents } from './our-events.js';
import { print, secondsSince } from './output.js';
import { openStore } from './store.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { limit: { type: 'string' } } });
const [from, to] = positionals;
const limit = Number(values.limit ?? Number.MAX_SAFE_INTEGER);
if (!from || !to || !Number.isSafeInteger(limit) || limit < 1)
  throw new Error('Usage: load.js <our events.db> <emmett db file> [--limit <whole number from 1>]');
if (existsSync(to)) throw new Error(`${to} is there already; load.js makes a new file`);

const started = performance.now();
// Under another name until it is whole, so that a load that was killed is not taken for one.
const part = `${to}.part`;
for (const suffix of ['', '-wal', '-shm']) rmSync(part + suffix, { force: true });

const { store, connection } = await openStore(part);
const counts = await appendInBatches(store, connection, readEvents(from, limit));
connection.close();
// Closing cannot be waited for in any other way; it leaves one file.
process.once('beforeExit', () => {
  renameSync(part, to);
  print({ ...counts, seconds: secondsSince(started) });
});
