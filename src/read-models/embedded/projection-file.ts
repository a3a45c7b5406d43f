import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'libsql';
import {
  hasTable,
  inTransaction,
  openWriter,
  setPragmas,
  SORT_THREAD_PRAGMA,
  type Connection,
} from '../../sqlite/connections.ts';
import { hasCode } from '../../lib/error.ts';
import { memoizeByIdentity } from '../../lib/memoize-by-identity.ts';
import { createRowEncoder, rowWidthOf } from '../columns.ts';
import { refuseMalformed } from '../../sqlite/failures.ts';
import { prepareTextsSelect } from '../../sqlite/texts.ts';
import { syncToDisk } from '../../lib/files.ts';
import { removeDatabase } from '../../sqlite/files.ts';
import { createSyncReadModels } from './sync-read-models.ts';
import {
  createTableStatement,
  deleteStatement,
  idIndexStatement,
  indexStatements,
  insertStatement,
  replaceStatement,
  upsertSameColumnsStatement,
} from './sql.ts';
import {
  DuplicateInsertError,
  type Checkpoint,
  type Collection,
  type NewDocumentRows,
  type ProjectionIdentity,
  type DocumentWrite,
} from '../port.ts';

/** A table of one row. */
const SCHEMA = `CREATE TABLE projection (
  name TEXT NOT NULL,       -- as the file's name has it, unless that is a copy
  definition TEXT NOT NULL, -- version and collections as they were when the documents were made
  checkpoint TEXT           -- JSON: everything up to its position is in the documents, but for what is parked
) STRICT`;

/** Larger pages make a build cheaper, since fewer are written. */
const PAGE_BYTES = 16_384;
/** Rows per statement, since each statement has a cost of its own. */
const ROWS = 40;

/** A build's file, which no query reads yet. After a kill its commits are kept, after a power failure none. */
const openForBuilding = (file: string): Connection => {
  const connection = openWriter(file, 'OFF', 'TRUNCATE');
  // Indexes are sorted in a temporary file: libsql's default is memory.
  setPragmas(connection, `page_size = ${PAGE_BYTES}`, 'temp_store = FILE', SORT_THREAD_PRAGMA);
  return connection;
};

const openWhole = (file: string): Connection => {
  // NORMAL: a power failure may lose the last commits, documents and checkpoint alike; their events are applied again.
  const connection = openWriter(file, 'NORMAL');
  // Smaller WAL checkpoints than the event log's: a client that waits to see its own write waits for them too.
  setPragmas(connection, 'wal_autocheckpoint = 250');
  return connection;
};

/** @throws DuplicateInsertError where SQLite reports two documents of one id */
const refuseTwice = (act: () => void): void => {
  try {
    act();
  } catch (error) {
    throw hasCode(error, 'SQLITE_CONSTRAINT_UNIQUE') ? new DuplicateInsertError(error) : error;
  }
};

/** How long a checkpoint without documents waits for some. */
const STORE_NOTED_MS = 1_000;

/** Whether a checkpoint says only that the projection has read further. */
const isOnlyFurther = (before: Checkpoint, after: Checkpoint): boolean =>
  before.isBuilt === after.isBuilt &&
  before.isBetween === after.isBetween &&
  JSON.stringify(before.parked) === JSON.stringify(after.parked);

/** Opens a projection's file to write it; only one writer may have it open. */
export const openProjectionFile = (file: string, isBuilding: boolean) => {
  const connection = isBuilding ? openForBuilding(file) : openWhole(file);
  /** The checkpoint last stored here. */
  let stored: Checkpoint | undefined;
  /** A checkpoint that is only further waits for documents, at most STORE_NOTED_MS: few events concern a projection. */
  let pending: Checkpoint | undefined;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    if (!connection.inTransaction) connection.exec('BEGIN IMMEDIATE');
  };

  /** Late, since an index updated at every insert would be most of what a build writes. */
  const indexIds = (collection: Collection): void => refuseTwice(() => connection.exec(idIndexStatement(collection)));

  const insertsInto = memoizeByIdentity((collection: Collection) => ({
    insert: connection.prepare(insertStatement(collection)),
    insertMany: connection.prepare(insertStatement(collection, ROWS)),
  }));
  const writesTo = memoizeByIdentity((collection: Collection) => {
    indexIds(collection);
    return {
      toRow: createRowEncoder(collection),
      upsert: connection.prepare(upsertSameColumnsStatement(collection)),
      replace: connection.prepare(replaceStatement(collection)),
      remove: connection.prepare(deleteStatement(collection)),
    };
  });
  const write = ({ collection, id, doc }: DocumentWrite): void => {
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
    pending = undefined;
  };
  /** A failure is ignored: the next commit stores it or throws, and events read again change no document. */
  const storePending = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!pending) return;
    try {
      begin();
      storeCheckpoint(pending);
    } catch {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    }
  };

  return {
    isBuilding,
    selects: createSyncReadModels(connection),
    /** @throws Error of the kind `damaged` */
    check: () => refuseMalformed(file, connection),
    /** Its definition and checkpoint, an empty text where it has none yet; undefined for a new file. */
    read(): { readonly definition: string; readonly checkpoint: string } | undefined {
      if (!hasTable(connection, 'projection')) return undefined;
      const columns = ['definition', "ifnull(checkpoint, '')"];
      const [definition, checkpoint] = prepareTextsSelect(connection, columns, 'FROM projection')();
      return definition === undefined || checkpoint === undefined ? undefined : { definition, checkpoint };
    },
    create({ name, collections }: ProjectionIdentity, definition: string): void {
      inTransaction(connection, () => {
        connection.exec(SCHEMA);
        for (const collection of collections) connection.exec(createTableStatement(collection));
        connection.prepare('INSERT INTO projection (name, definition) VALUES (?, ?)').run([name, definition]);
      });
    },
    /** @throws DuplicateInsertError */
    insert(collection: Collection, { count, values }: NewDocumentRows): void {
      begin();
      const { insert, insertMany } = insertsInto(collection);
      const width = rowWidthOf(collection);
      refuseTwice(() => {
        let row = 0;
        for (; row + ROWS <= count; row += ROWS) insertMany.run(values.slice(row * width, (row + ROWS) * width));
        for (; row < count; row++) insert.run(values.slice(row * width, (row + 1) * width));
      });
    },
    /** The last checkpoint committed here, if any. */
    checkpoint: (): Checkpoint | undefined => pending ?? stored,
    /** Stores the inserted documents too. @throws DuplicateInsertError */
    commit({ collections }: ProjectionIdentity, writes: readonly DocumentWrite[], checkpoint: Checkpoint): void {
      if (!isBuilding && writes.length === 0 && stored && isOnlyFurther(stored, checkpoint)) {
        pending = checkpoint;
        timer ??= setTimeout(storePending, STORE_NOTED_MS).unref();
        return;
      }
      begin();
      for (const each of writes) write(each);
      if (isBuilding && !checkpoint.building) for (const collection of collections) indexIds(collection);
      storeCheckpoint(checkpoint);
    },
    /** Ends a build: the file is complete and on disk before it appears under its final name. */
    publish(collections: readonly Collection[], whole: string): void {
      for (const sql of collections.flatMap(indexStatements)) connection.exec(sql);
      connection.close();
      syncToDisk(file);
      // SQLite would take a journal left there for this file's.
      removeDatabase(whole);
      renameSync(file, whole);
      syncToDisk(dirname(whole));
      // Its journal, which is empty.
      removeDatabase(file);
    },
    close(): void {
      if (!connection.open) return;
      // An open transaction would last until its statements are garbage-collected.
      if (connection.inTransaction) connection.exec('ROLLBACK');
      storePending();
      connection.close();
    },
  };
};
export type ProjectionFile = ReturnType<typeof openProjectionFile>;
