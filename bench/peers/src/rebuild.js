// @ts-check
/**
 * Rebuilds the read model of a posting's candidates from the first event on: `node src/rebuild.js <emmett db file>`.
 */
import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { messagesTable, processorsTable } from '@event-driven-io/emmett-sqlite';
import { peakRssMb, print, secondsSince } from './output.js';
import { postingCandidates } from './posting-candidates.js';
import { openStore } from './store.js';

const PROCESSOR = 'posting-candidates';
/** README.md, Rebuilding, tells what other values gave. */
const PULLING = { batchSize: 100_000, pullingFrequencyInMs: 0 };

const [fileName] = process.argv.slice(2);
if (!fileName || !existsSync(fileName))
  throw new Error(`Usage: rebuild.js <database file that load.js made>; there is no file ${fileName ?? ''}`);

const { store, connection } = await openStore(fileName);
// Emmett's `readLastMessageGlobalPosition` gives the first position in this version.
const [last] = await connection.query(`SELECT max(global_position) AS position FROM ${messagesTable.name}`);
if (typeof last?.position !== 'number') throw new Error(`${fileName} has no events`);
const head = BigInt(last.position);

const started = performance.now();
await postingCandidates.truncate?.({ connection });
await connection.command(`DELETE FROM ${processorsTable.name} WHERE processor_id = ?`, [PROCESSOR]);

let events = 0;
let position = 0n;
const consumer = store.consumer({ pulling: PULLING });
consumer.processor({
  processorId: PROCESSOR,
  projection: postingCandidates,
  startFrom: 'BEGINNING',
  stopAfter: ({ metadata: { globalPosition } }) => {
    events += 1;
    position = globalPosition;
    return globalPosition >= head;
  },
});
await consumer.start();
const seconds = secondsSince(started);

// A projection that fails ends the consumer as if it had been stopped.
if (position < head) throw new Error(`The consumer stopped at position ${position} of ${head}`);
const [counted] = await connection.query(`SELECT
  (SELECT count(*) FROM posting_candidates) AS documents,
  (SELECT count(*) FROM ${messagesTable.name} WHERE message_type = 'CandidateApplied') AS applications`);
if (!counted || counted.documents !== counted.applications)
  throw new Error(`There are ${counted?.applications} applications, but ${counted?.documents} documents`);
print({ events, seconds, documents: counted.documents, peakRssMb: peakRssMb() });
connection.close();
