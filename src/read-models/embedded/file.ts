import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'libsql';
import { openWriter, sortInThread, type Connection } from '../../sqlite/connections.ts';
import { rowsOf, widthOf } from '../columns.ts';
import { removeFile } from './files.ts';
import { selectsOf } from './selects.ts';
import {
  createStatement,
  deleteStatement,
  idIndexStatement,
  indexStatements,
  insertStatement,
  replaceStatement,
  upsertStatement,
} from './sql.ts';
import {
  AlreadyThere,
  type Checkpoint,
  type Collection,
  type NewDocuments,
  type ProjectionIdentity,
  type Write,
} from '../port.ts';

/** One row. */
const SCHEMA = `CREATE TABLE projection (
  name TEXT NOT NULL,       -- as the file's name has it, unless that is a copy
  definition TEXT NOT NULL, -- version and collections as they were when the documents were made
  checkpoint TEXT           -- JSON: everything up to its position is in the documents, but for what is parked
) STRICT`;

/** Larger pages make a build cheaper: fewer of them are written. */
const PAGE_BYTES = 16_384;
/** Rows in a statement: each has a cost of its own. */
const ROWS = 40;

/** What a build does while nobody else reads its file; a kill leaves what was committed, a power failure nothing. */
const openBuilding = (file: string): Connection => {
  const connection = openWriter(file, 'OFF', 'TRUNCATE');
  connection.pragma(`page_size = ${PAGE_BYTES}`);
  // What is sorted for an index goes to a file: the library's own default is memory.
  connection.pragma('temp_store = FILE');
  sortInThread(connection);
  return connection;
};

const openWhole = (file: string): Connection => {
  // NORMAL: a power failure may take the last commits, documents and checkpoint alike; they are applied again.
  const connection = openWriter(file, 'NORMAL');
  // Smaller checkpoints than the log's: a client that waits for its own write to show waits for them too.
  connection.pragma('wal_autocheckpoint = 250');
  return connection;
};

const toDisk = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** What is made for each collection when it is first asked for. */
const perCollection = <Made>(make: (collection: Collection) => Made) => {
  const all = new Map<Collection, Made>();
  return (collection: Collection): Made => {
    const made = all.get(collection) ?? make(collection);
    all.set(collection, made);
    return made;
  };
};

/** @throws AlreadyThere for SQLite's error about two documents of one id */
const refuseTwice = (act: () => void): void => {
  try {
    act();
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
      ? new AlreadyThere(error)
      : error;
  }
};

/** How long a checkpoint that came without documents waits for some. */
const STORE_NOTED_MS = 1_000;

/** Whether a checkpoint says nothing but that the log was read further. */
const isOnlyFurther = (before: Checkpoint, after: Checkpoint): boolean =>
  before.isBuilt === after.isBuilt &&
  before.isBetween === after.isBetween &&
  JSON.stringify(before.parked) === JSON.stringify(after.parked);

/** A projection's file, to write it: there must be one of these a file. */
export const openProjectionFile = (file: string, isBuilding: boolean) => {
  const connection = isBuilding ? openBuilding(file) : openWhole(file);
  /** As it was stored here last. */
  let stored: Checkpoint | undefined;
  /** One that is only further, until it is stored with documents or a moment later: an event concerns few projections. */
  let noted: Checkpoint | undefined;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    if (!connection.inTransaction) connection.exec('BEGIN IMMEDIATE');
  };

  /** Not before it is needed: kept up to date while documents are inserted, these indexes are most of what a build writes. */
  const indexIds = (collection: Collection): void =>
    refuseTwice(() => connection.exec(idIndexStatement(collection)));

  const insertsInto = perCollection((collection) => ({
    insert: connection.prepare(insertStatement(collection)),
    insertMany: connection.prepare(insertStatement(collection, ROWS)),
  }));
  const writesTo = perCollection((collection) => {
    indexIds(collection);
    return {
      toRow: rowsOf(collection),
      upsert: connection.prepare(upsertStatement(collection)),
      replace: connection.prepare(replaceStatement(collection)),
      remove: connection.prepare(deleteStatement(collection)),
    };
  });
  const write = ({ collection, id, doc }: Write): void => {
    const { toRow, upsert, replace, remove } = writesTo(collection);
    if (!doc) {
      remove.run([id]);
      return;
    }
    const values = toRow({ id, doc });
    if (upsert.run(values).changes === 0) replace.run(values);
  };

  // Not before the table is there.
  let update: Database.Statement | undefined;
  const storeCheckpoint = (checkpoint: Checkpoint): void => {
    update ??= connection.prepare('UPDATE projection SET checkpoint = ?');
    update.run([JSON.stringify(checkpoint)]);
    connection.exec('COMMIT');
    stored = checkpoint;
    noted = undefined;
  };
  /** Where that fails, the next commit stores it or tells, and what is read again after a start concerns no document. */
  const storeNoted = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!noted) return;
    try {
      begin();
      storeCheckpoint(noted);
    } catch {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    }
  };

  return {
    isBuilding,
    selects: selectsOf(connection),
    /** What it holds; undefined for a file that holds nothing yet. */
    read(): { readonly definition: string; readonly checkpoint: string | null } | undefined {
      if (
        connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'projection'").raw().all([]).length === 0
      )
        return undefined;
      const row = connection.prepare('SELECT definition, checkpoint FROM projection').raw().get([]) as
        readonly [string, string | null] | undefined;
      return row && { definition: row[0], checkpoint: row[1] };
    },
    create({ name, collections }: ProjectionIdentity, definition: string): void {
      connection.exec('BEGIN IMMEDIATE');
      connection.exec(SCHEMA);
      for (const collection of collections) connection.exec(createStatement(collection));
      connection.prepare('INSERT INTO projection (name, definition) VALUES (?, ?)').run([name, definition]);
      connection.exec('COMMIT');
    },
    /** @throws AlreadyThere */
    insert(collection: Collection, { count, values }: NewDocuments): void {
      begin();
      const { insert, insertMany } = insertsInto(collection);
      const width = widthOf(collection);
      refuseTwice(() => {
        let row = 0;
        for (; row + ROWS <= count; row += ROWS)
          insertMany.run(values.slice(row * width, (row + ROWS) * width));
        for (; row < count; row++) insert.run(values.slice(row * width, (row + 1) * width));
      });
    },
    /** The last checkpoint that was committed here, if any was. */
    checkpoint: (): Checkpoint | undefined => noted ?? stored,
    /**
     * Stores all that was inserted as well.
     *
     * @throws AlreadyThere
     */
    commit({ collections }: ProjectionIdentity, writes: readonly Write[], checkpoint: Checkpoint): void {
      if (!isBuilding && writes.length === 0 && stored && isOnlyFurther(stored, checkpoint)) {
        noted = checkpoint;
        timer ??= setTimeout(storeNoted, STORE_NOTED_MS).unref();
        return;
      }
      begin();
      for (const each of writes) write(each);
      if (isBuilding && !checkpoint.building) for (const collection of collections) indexIds(collection);
      storeCheckpoint(checkpoint);
    },
    /** Ends a build: the file is as it is to be served when it appears under its other name. */
    publish(collections: readonly Collection[], whole: string): void {
      for (const sql of collections.flatMap(indexStatements)) connection.exec(sql);
      connection.close();
      toDisk(file);
      // A journal that was left there would be taken for its own.
      removeFile(whole);
      renameSync(file, whole);
      toDisk(dirname(whole));
      // Its journal, which is empty.
      removeFile(file);
    },
    close(): void {
      if (!connection.open) return;
      // What it has begun would be under way until its statements are collected as garbage.
      if (connection.inTransaction) connection.exec('ROLLBACK');
      storeNoted();
      connection.close();
    },
  };
};
export type ProjectionFile = ReturnType<typeof openProjectionFile>;
