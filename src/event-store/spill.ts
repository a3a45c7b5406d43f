import Database from 'libsql';
import type { GroupedText } from './group-batches.ts';

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
      const rows = database
        .prepare('SELECT grouped, text FROM spilled ORDER BY grouped, rowid')
        .raw()
        .iterate([]);
      for (const [group, text] of rows as Iterable<readonly [string, string]>) yield { group, text };
    },
    close: () => database.close(),
  };
};
