import Database from 'libsql';
import { compareByCodePoint } from '../../lib/compare-by-code-point.ts';
import { cutBatches, LONG_BYTES, type GroupedEventJson } from '../group-batches.ts';
import { partitionKeyOf, type EventBatch, type GroupBatch, type GroupReadOptions } from '../port.ts';

/** Kept in memory; the rest is in the temporary file. */
const CACHE_KB = 8_000;
/** Filled in one transaction, not one for each event; without a journal its size does not matter. */
const TABLE = 'CREATE TEMP TABLE spilled (grouped TEXT NOT NULL, text TEXT NOT NULL)';
/** Long events are read one by one, since a hundred rows are in memory at once. */
const IS_SHORT = `octet_length(text) <= ${LONG_BYTES}`;
const SORTED = `SELECT rowid, iif(${IS_SHORT}, grouped, ''), iif(${IS_SHORT}, text, NULL)
  FROM spilled ORDER BY grouped, rowid`;
const ALONE = 'SELECT grouped, text FROM spilled WHERE rowid = ?';

/** Sorts events in SQLite's own temporary file, which no other process can open and which is gone with this one. */
export const openTemporarySorter = () => {
  const database = new Database(':memory:');
  database.pragma('temp_store = FILE');
  database.pragma(`temp.cache_size = -${CACHE_KB}`);
  database.pragma('temp.journal_mode = OFF');
  database.exec(`${TABLE}; BEGIN`);
  const insert = database.prepare('INSERT INTO spilled (grouped, text) VALUES (?, ?)');
  return {
    /** To be called in the event log's order. */
    add({ group, text }: GroupedEventJson): void {
      insert.run([group, text]);
    },
    /** By group, within each in the event log's order. */
    *sorted(): Generator<GroupedEventJson> {
      const rows = database.prepare(SORTED).raw().iterate([]);
      const select = database.prepare(ALONE).raw();
      const alone = (row: number): GroupedEventJson => {
        const [group, text] = select.get([row]) as readonly [string, string];
        return { group, text };
      };
      for (const [row, group, text] of rows as Iterable<readonly [number, string, string | null]>)
        yield text === null ? alone(row) : { group, text };
    },
    close: () => database.close(),
  };
};

/** How often an empty batch tells the consumer that events still come. */
const TELL_MS = 1_000;

/** A subscription's events from the start of the event log, sorted by group in a temporary file. */
export async function* sortIntoGroups(
  subscription: AsyncIterable<EventBatch>,
  { by, upTo, batchSize, after }: GroupReadOptions,
  signal: AbortSignal,
): AsyncGenerator<GroupBatch, void, undefined> {
  const spill = openTemporarySorter();
  let isWhole = false;
  let of = 0;
  let yieldedAt = performance.now();
  try {
    for await (const { events, position } of subscription) {
      for (const event of events) {
        const group = partitionKeyOf(event.data, by);
        if (event.position > upTo || (after !== undefined && compareByCodePoint(group, after) <= 0)) continue;
        spill.add({ group, text: JSON.stringify(event) });
        of++;
      }
      isWhole = position >= upTo;
      if (isWhole) break;
      if (performance.now() - yieldedAt < TELL_MS) continue;
      yieldedAt = performance.now();
      yield { texts: [], ended: undefined, of };
    }
    // A subscription ends early only when it is aborted.
    if (!isWhole) return;
    for (const batch of cutBatches(spill.sorted(), batchSize)) {
      yield { ...batch, of };
      if (signal.aborted) return;
    }
  } finally {
    spill.close();
  }
}
