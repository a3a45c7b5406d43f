import { workerData } from 'node:worker_threads';
import { openWriter } from '../sqlite/connections.ts';
import { serveBatches } from '../sqlite/worker-loop.ts';
import type { Value } from './embedded-sql.ts';

/**
 * The worker thread that holds the only writing connection to the read models. A request is a list of statements that
 * happen together or not at all.
 */
export interface Statement {
  readonly sql: string;
  /** The statement is run once with each. */
  readonly rows: readonly (readonly Value[])[];
}
export type Transaction = readonly Statement[];
export interface WriterData {
  readonly file: string;
}

const { file } = workerData as WriterData;
// NORMAL: a power failure may take the last commits, documents and checkpoints alike; they are folded again.
const connection = openWriter(file, 'NORMAL');
connection.exec(
  `CREATE TABLE IF NOT EXISTS projections (
    name       TEXT PRIMARY KEY,
    definition TEXT NOT NULL,  -- version and collections as they were when the documents were made
    tables     TEXT NOT NULL,  -- JSON, the names of its tables
    position   TEXT,           -- checkpoint: everything up to here is in the documents
    log        TEXT            -- the id of the log's first event
  ) STRICT`,
);
const prepared = new Map<string, ReturnType<typeof connection.prepare>>();

const run = (transaction: Transaction): void => {
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const { sql, rows } of transaction) {
      if (/^(CREATE|DROP)/.test(sql)) {
        prepared.clear();
        connection.exec(sql);
        continue;
      }
      let statement = prepared.get(sql);
      if (!statement) prepared.set(sql, (statement = connection.prepare(sql)));
      for (const row of rows) statement.run([...row]);
    }
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
};

const runAll = (batch: readonly Transaction[]): (true | Error)[] =>
  batch.map((transaction) => {
    try {
      run(transaction);
      return true;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  });

serveBatches({ handle: runAll, close: () => connection.close() });
