import { openReader, openWriter, type Connection } from '../sqlite/connections.ts';
import { parseCheckpoint, parseCheckpoints } from './checkpoint-json.ts';
import { definitionOf } from './definition.ts';
import { asReadModels, cachedStatements, selectsOf } from './embedded-selects.ts';
import {
  createStatement,
  deleteStatement,
  CHECKPOINTS,
  dropStatement,
  idsStatement,
  indexStatements,
  insertStatement,
  replaceStatement,
  tableOf,
  upsertStatement,
  upsertValues,
} from './embedded-sql.ts';
import { shareTransaction } from './embedded-transaction.ts';
import {
  AlreadyThere,
  type Checkpoint,
  type Collection,
  type ProjectionIdentity,
  type ReadModelStore,
  type Write,
} from './port.ts';

const SCHEMA = `CREATE TABLE IF NOT EXISTS projections (
  name       TEXT PRIMARY KEY,
  definition TEXT NOT NULL,  -- version and collections as they were when the documents were made
  tables     TEXT NOT NULL,  -- JSON, the names of its tables
  checkpoint TEXT             -- JSON: everything up to its position is in the documents, but for what is parked
) STRICT`;

/** A projection's tables, but for those that another projection has by now. */
const OWN_TABLES = `SELECT value FROM projections, json_each(tables) WHERE name = ? AND value NOT IN
  (SELECT value FROM projections, json_each(tables) WHERE name <> ?)`;

/** Of the tables; another one needs a rebuild. */
const LAYOUT = 4;

/**
 * The read models in one SQLite file, which may be deleted whenever the service is down. Everything happens at once, on
 * the thread that calls; there must be one of these a file.
 *
 * @param file path of `read-models.db`; made when missing
 */
export const openEmbeddedReadModels = (file: string): ReadModelStore => {
  // NORMAL: a power failure may take the last commits, documents and checkpoints alike; they are folded again.
  const connection = openWriter(file, 'NORMAL');
  dropOlder(connection);
  connection.exec(SCHEMA);
  // 8 MB: the system's own cache is behind it; with 20 MB a rebuild was slower by a tenth and took 20 MB more.
  connection.pragma('cache_size = -8000');
  // Smaller checkpoints than the log's: whoever waits for its own write to show waits for them too.
  connection.pragma('wal_autocheckpoint = 1000');
  const statement = cachedStatements((sql) => connection.prepare(sql));
  const select = cachedStatements((sql) => connection.prepare(sql).raw());

  const isIndexed = new Set<string>();
  const { begin, together, finish, flush } = shareTransaction(connection, () => isIndexed.clear());

  const reset = async (projection: ProjectionIdentity): Promise<void> => {
    begin(projection.name);
    await together(projection.name, 0, () => {
      const names = projection.collections.map(({ name }) => name);
      const recorded = select(OWN_TABLES).all([projection.name, projection.name]) as (readonly [string])[];
      for (const table of new Set([...recorded.flat(), ...names])) connection.exec(dropStatement(table));
      for (const collection of projection.collections) connection.exec(createStatement(collection));
      isIndexed.delete(projection.name);
      statement('INSERT OR REPLACE INTO projections (name, definition, tables) VALUES (?, ?, ?)').run([
        projection.name,
        definitionOf(LAYOUT, projection),
        JSON.stringify(names),
      ]);
    });
    await finish();
  };

  /** With the first checkpoint: making an index at once takes less than keeping it up while all is built. */
  const index = ({ name, collections }: ProjectionIdentity): void => {
    if (isIndexed.has(name)) return;
    for (const sql of collections.flatMap(indexStatements)) connection.exec(sql);
    isIndexed.add(name);
  };

  const writers = new Map<Collection, (write: Write) => void>();
  const writerOf = (collection: Collection) => {
    const known = writers.get(collection);
    if (known) return known;
    const valuesOf = upsertValues(collection);
    const insert = connection.prepare(insertStatement(collection));
    const upsert = connection.prepare(upsertStatement(collection));
    const replace = connection.prepare(replaceStatement(collection));
    const remove = connection.prepare(deleteStatement(collection));
    const writer = ({ id, doc, isNew }: Write): void => {
      if (!doc) {
        remove.run([id]);
        return;
      }
      const values = valuesOf({ id, doc });
      if (isNew) insertNew(() => insert.run(values));
      else if (upsert.run(values).changes === 0) replace.run(values);
    };
    writers.set(collection, writer);
    return writer;
  };

  return {
    ...asReadModels(selectsOf(connection)),
    ids: (collection, column, value) =>
      Promise.resolve(
        (select(idsStatement(collection, column)).all([value]) as (readonly [string])[]).flat(),
      ),
    async prepare(projection) {
      begin(projection.name);
      // What it says is visible to others: what waits for a flush would not be.
      await finish();
      const row = select('SELECT definition, checkpoint FROM projections WHERE name = ?').get([
        projection.name,
      ]) as readonly [string, string | null] | undefined;
      const [definition, text] = row ?? [];
      const isSame = definition === definitionOf(LAYOUT, projection);
      const checkpoint = isSame && text ? parseCheckpoint(text) : undefined;
      if (!checkpoint) await reset(projection);
      return checkpoint;
    },
    reset,
    commit(projection, writes, checkpoint) {
      return together(projection.name, writes.length, () => {
        for (const write of writes) writerOf(write.collection)(write);
        if (!checkpoint.building) index(projection);
        const update = 'UPDATE projections SET checkpoint = ? WHERE name = ?';
        statement(update).run([JSON.stringify(checkpoint), projection.name]);
      });
    },
    flush,
    checkpointOf(name) {
      const row = select('SELECT checkpoint FROM projections WHERE name = ?').get([name]) as
        readonly [string | null] | undefined;
      return Promise.resolve(row?.[0] ? parseCheckpoint(row[0]) : undefined);
    },
    scan(collection, after, limit) {
      const rows = select(
        `SELECT id, document FROM ${tableOf(collection)} WHERE id > ? ORDER BY id LIMIT ?`,
      ).all([after, limit]) as (readonly [string, string])[];
      return Promise.resolve(rows.map(([id, text]) => ({ id, text })));
    },
    async drop(name) {
      begin(name);
      await together(name, 0, () => {
        for (const [table] of select(OWN_TABLES).all([name, name]) as (readonly [string])[])
          connection.exec(dropStatement(table));
        statement('DELETE FROM projections WHERE name = ?').run([name]);
      });
      await finish();
    },
    close: () => finish().finally(() => connection.close()),
  };
};

const insertNew = (insert: () => unknown): void => {
  try {
    insert();
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
      ? new AlreadyThere(error)
      : error;
  }
};

/** A file that an older version has made, whose tables this one would not find: all is built anew. */
const dropOlder = (connection: Connection): void => {
  const columns = connection.prepare("SELECT name FROM pragma_table_info('projections')").raw().all([]);
  if (columns.length === 0 || columns.flat().includes('checkpoint')) return;
  const tables = connection.prepare('SELECT value FROM projections, json_each(tables)').raw().all([]);
  for (const table of new Set((tables as (readonly [string])[]).flat()))
    connection.exec(dropStatement(table));
  connection.exec('DROP TABLE projections');
};

/** The checkpoints of all projections, read beside the process that runs the service. */
export const readEmbeddedCheckpoints = (file: string): Map<string, Checkpoint> => {
  const reader = openReader(file);
  try {
    const rows = reader.prepare(CHECKPOINTS).raw().all([]) as (readonly [string, string])[];
    return parseCheckpoints(rows);
  } finally {
    reader.close();
  }
};
