import { Type } from 'typebox';
import { START } from '../event-store/port.ts';
import { canonicalJson } from '../json.ts';
import { openReader, openWriter, type Connection } from '../sqlite/connections.ts';
import { checker } from '../validation.ts';
import { asReadModels, cachedStatements, selectsOf } from './embedded-selects.ts';
import {
  createStatement,
  deleteStatement,
  dropStatement,
  indexStatements,
  replaceStatement,
  tableOf,
  upsertStatement,
  upsertValues,
} from './embedded-sql.ts';
import { shareTransaction } from './embedded-transaction.ts';
import type { Building, Collection, ProjectionIdentity, ReadModelStore, Write } from './port.ts';

const SCHEMA = `CREATE TABLE IF NOT EXISTS projections (
  name       TEXT PRIMARY KEY,
  definition TEXT NOT NULL,  -- version and collections as they were when the documents were made
  tables     TEXT NOT NULL,  -- JSON, the names of its tables
  position   TEXT,           -- checkpoint: everything up to here is in the documents
  log        TEXT,           -- the id of the log's first event
  building   TEXT            -- JSON, how far the documents are built that have no checkpoint yet
) STRICT`;

/** A projection's tables, but for those that another projection has by now. */
const OWN_TABLES = `SELECT value FROM projections, json_each(tables) WHERE name = ? AND value NOT IN
  (SELECT value FROM projections, json_each(tables) WHERE name <> ?)`;

/** Of the tables; another one needs a rebuild. */
const LAYOUT = 3;
const definitionOf = ({ version, collections }: ProjectionIdentity): string =>
  canonicalJson({ layout: LAYOUT, version, collections });

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
        definitionOf(projection),
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
    const upsert = connection.prepare(upsertStatement(collection));
    const replace = connection.prepare(replaceStatement(collection));
    const remove = connection.prepare(deleteStatement(collection));
    const writer = ({ id, doc, position }: Write): void => {
      if (!doc) {
        remove.run([id]);
        return;
      }
      const values = valuesOf({ id, doc, position });
      if (upsert.run(values).changes === 0) replace.run(values);
    };
    writers.set(collection, writer);
    return writer;
  };

  return {
    ...asReadModels(selectsOf(connection)),
    async prepare(projection) {
      begin(projection.name);
      const row = select('SELECT definition, position, log, building FROM projections WHERE name = ?').get([
        projection.name,
      ]) as readonly [string, string | null, string | null, string | null] | undefined;
      const [definition, position, log, text] = row ?? [];
      const building = text ? parseBuilding(text) : undefined;
      if (definition !== definitionOf(projection) || !log || (!position && !building)) {
        await reset(projection);
        return undefined;
      }
      // What goes on being built finds by columns what was stored before.
      if (building) await together(projection.name, 0, () => index(projection));
      return { position: position ?? START, log, ...(building && { building }) };
    },
    reset,
    commit(projection, writes, checkpoint) {
      return together(projection.name, writes.length, () => {
        for (const write of writes) writerOf(write.collection)(write);
        if (!checkpoint) return;
        const { position, log, building } = checkpoint;
        if (!building) index(projection);
        const update = 'UPDATE projections SET position = ?, log = ?, building = ? WHERE name = ?';
        const left = building ? JSON.stringify(building) : null;
        statement(update).run([building ? null : position, log, left, projection.name]);
      });
    },
    flush,
    checkpointOf(name) {
      const row = select('SELECT position FROM projections WHERE name = ?').get([name]) as
        readonly [string | null] | undefined;
      return Promise.resolve(row?.[0] ?? undefined);
    },
    scan(collection, after, limit) {
      const rows = select(
        `SELECT id, position, document FROM ${tableOf(collection)} WHERE id > ? ORDER BY id LIMIT ?`,
      ).all([after, limit]) as (readonly [string, string, string])[];
      return Promise.resolve(rows.map(([id, position, text]) => ({ id, position, text })));
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

/** A file that an older version has made, whose tables this one would not find: all is built anew. */
const dropOlder = (connection: Connection): void => {
  const columns = connection.prepare("SELECT name FROM pragma_table_info('projections')").raw().all([]);
  if (columns.length === 0 || columns.flat().includes('building')) return;
  const tables = connection.prepare('SELECT value FROM projections, json_each(tables)').raw().all([]);
  for (const table of new Set((tables as (readonly [string])[]).flat()))
    connection.exec(dropStatement(table));
  connection.exec('DROP TABLE projections');
};

const checkBuilding = checker(Type.Object({ upTo: Type.String(), after: Type.String() }), 'building');

const parseBuilding = (text: string): Building => {
  const checked = checkBuilding(JSON.parse(text));
  if (!checked.ok) throw new Error(`The read models cannot be read: ${checked.message}`);
  return checked.value;
};

/** The checkpoints of all projections, read beside whoever runs the service. */
export const readEmbeddedCheckpoints = (file: string): Map<string, string> => {
  const reader = openReader(file);
  try {
    const rows = reader
      .prepare('SELECT name, position FROM projections WHERE position IS NOT NULL')
      .raw()
      .all([]);
    return new Map(rows as (readonly [string, string])[]);
  } finally {
    reader.close();
  }
};
