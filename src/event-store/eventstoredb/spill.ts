import Database from 'libsql';
import { LONG_BYTES, type GroupedText } from '../group-batches.ts';

/** Events on their way from a log to be sorted, in a file that goes with the process. */
export interface Spill {
  /** In the log's order. */
  add(event: GroupedText): void;
  /** By their groups, and in the log's order within each. */
  sorted(): Iterable<GroupedText>;
  close(): void;
}

/** Kept in memory; a temporary file has the rest. */
const CACHE_KB = 8_000;
/** In one transaction: without a journal its size does not matter, only that it is not one for each event. */
const TABLE = 'CREATE TEMP TABLE spilled (grouped TEXT NOT NULL, text TEXT NOT NULL)';
/** In their order, without those that are long: a hundred are in memory at once. */
const IS_SHORT = `octet_length(text) <= ${LONG_BYTES}`;
const SORTED = `SELECT rowid, iif(${IS_SHORT}, grouped, ''), iif(${IS_SHORT}, text, NULL)
  FROM spilled ORDER BY grouped, rowid`;
const ALONE = 'SELECT grouped, text FROM spilled WHERE rowid = ?';

/** Room for events that are to be sorted: SQLite's own temporary file, which nobody else can open. */
export const openSpill = (): Spill => {
  const database = new Database(':memory:');
  database.pragma('temp_store = FILE');
  database.pragma(`temp.cache_size = -${CACHE_KB}`);
  database.pragma('temp.journal_mode = OFF');
  database.exec(`${TABLE}; BEGIN`);
  const insert = database.prepare('INSERT INTO spilled (grouped, text) VALUES (?, ?)');
  return {
    add: ({ group, text }) => {
      insert.run([group, text]);
    },
    *sorted() {
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
