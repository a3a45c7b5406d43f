import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import Database from 'libsql';
import type { Row } from './bare-store.ts';

/** Bare group commit: all rows that are waiting, in one transaction. */

const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread');
const connection = new Database(String(workerData));
connection.pragma('journal_mode = WAL');
connection.pragma('synchronous = FULL');
connection.pragma('wal_autocheckpoint = 4000');
connection.exec(`
  CREATE TABLE events (
    position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    version INTEGER NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL, UNIQUE (stream, revision)
  ) STRICT`);
const insert = connection.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
let head = 0;

port.on('message', (first: Row | null) => {
  const rows: Row[] = [];
  let message: Row | null | undefined = first;
  while (message) {
    rows.push(message);
    message = (receiveMessageOnPort(port) as { message: Row | null } | undefined)?.message;
  }
  if (rows.length > 0) {
    connection.exec('BEGIN IMMEDIATE');
    for (const row of rows) insert.run([++head, ...row]);
    connection.exec('COMMIT');
    port.postMessage(rows.length);
  }
  if (message === null) {
    connection.close();
    port.close();
  }
});
port.postMessage(0);
