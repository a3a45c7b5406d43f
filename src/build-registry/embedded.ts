import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import type { RegistryRecord } from './build.ts';
import { parseRecord, toStored, type BuildRegistry } from './registry.ts';

const SCHEMA = 'CREATE TABLE IF NOT EXISTS catalogue (name TEXT PRIMARY KEY, entry TEXT NOT NULL) STRICT';
const BUSY_MS = 5_000;

/**
 * The build registry in a file beside the embedded read models, since the command line changes it while the service
 * writes those. A rollback journal (SQLite's default) is safe among several processes.
 *
 * @param file path of `projections.db`; made when missing
 */
export const openEmbeddedBuildRegistry = (file: string): BuildRegistry => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const connection = new Database(file, { timeout: BUSY_MS });
  connection.pragma('synchronous = FULL');
  connection.exec(SCHEMA);
  const selectAll = connection.prepare('SELECT entry FROM catalogue').raw();
  const select = connection.prepare('SELECT entry FROM catalogue WHERE name = ?').raw();
  const replace = connection.prepare('INSERT OR REPLACE INTO catalogue (name, entry) VALUES (?, ?)');

  /** Parsed records by their JSON: they are read far more often than changed. */
  let known: ReadonlyMap<string, RegistryRecord> = new Map();

  return {
    all: () =>
      Promise.resolve().then(() => {
        const rows = selectAll.all([]) as (readonly [string])[];
        known = new Map(rows.map(([text]) => [text, known.get(text) ?? parseRecord(JSON.parse(text))]));
        return new Map([...known.values()].map((record) => [record.name, record]));
      }),
    change: (name, act) =>
      Promise.resolve().then(() => {
        connection.exec('BEGIN IMMEDIATE');
        try {
          const row = select.get([name]) as readonly [string] | undefined;
          const before = row && parseRecord(JSON.parse(row[0]));
          const after = act(before);
          if (after !== before) replace.run([name, JSON.stringify(toStored(after))]);
          connection.exec('COMMIT');
          return after;
        } catch (error) {
          connection.exec('ROLLBACK');
          throw error;
        }
      }),
    close() {
      connection.close();
      return Promise.resolve();
    },
  };
};
