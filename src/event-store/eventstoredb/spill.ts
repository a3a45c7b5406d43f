import Database from 'libsql';
import { LONG_BYTES, type GroupedText } from '../group-batches.ts';

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
export const openSpill = () => {
  const database = new Database(':memory:');
  database.pragma('temp_store = FILE');
  database.pragma(`temp.cache_size = -${CACHE_KB}`);
  database.pragma('temp.journal_mode = OFF');
  database.exec(`${TABLE}; BEGIN`);
  const insert = database.prepare('INSERT INTO spilled (grouped, text) VALUES (?, ?)');
  return {
    /** To be called in the event log's order. */
    add({ group, text }: GroupedText): void {
      insert.run([group, text]);
    },
    /** By group, within each in the event log's order. */
    *sorted(): Generator<GroupedText> {
      const rows = database.prepare(SORTED).raw().iterate([]);
      const select = database.prepare(ALONE).raw();
      const alone = (row: number): GroupedText => {
        const [group, text] = select.get([row]) as readonly [string, string];
        return { group, text };
      };
      for (const [row, group, text] of rows as Iterable<readonly [number, string, string | null]>)
        yield text === null ? alone(row) : { group, text };
    },
    close: () => database.close(),
  };
};
