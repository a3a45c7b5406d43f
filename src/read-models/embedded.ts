import { canonicalJson } from '../json.ts';
import { openReader, type Connection } from '../sqlite/connections.ts';
import { openWorker } from '../sqlite/worker-channel.ts';
import type { Collection, ProjectionIdentity, ReadModelStore, Stored, Write } from './port.ts';
import type { Statement, Transaction, WriterData } from './embedded-writer.ts';
import {
  countStatement,
  createStatements,
  deleteStatement,
  dropStatement,
  findStatement,
  tableOf,
  upsertStatement,
  upsertValues,
  type Value,
} from './embedded-sql.ts';

type Row = readonly [id: string, position: string, document: string];

const toStored = <Doc>([id, position, document]: Row): Stored<Doc> => ({
  id,
  position,
  doc: JSON.parse(document) as Doc,
});

const definitionOf = ({ version, collections }: ProjectionIdentity): string =>
  canonicalJson({ version, collections });

const statement = (sql: string, values: readonly Value[] = []): Statement => ({ sql, rows: [values] });

/**
 * The read models in one SQLite file, which may be deleted whenever the service is down.
 *
 * @param file path of `read-models.db`; made when missing
 */
export const openEmbeddedReadModels = async (file: string): Promise<ReadModelStore> => {
  const writer = await openWorker<Transaction, true>(new URL('./embedded-writer.js', import.meta.url), {
    file,
  } satisfies WriterData);
  const reader = openReader(file);
  const select = cachedSelects(reader);

  const storedTables = (name: string): string[] => {
    const row = select('SELECT tables FROM projections WHERE name = ?').get([name]) as
      readonly [string] | undefined;
    return row ? (JSON.parse(row[0]) as string[]) : [];
  };

  const reset = async (projection: ProjectionIdentity): Promise<void> => {
    const tables = JSON.stringify(projection.collections.map(({ name }) => name));
    const drops = storedTables(projection.name).map((table) => statement(dropStatement(table)));
    const creates = projection.collections.flatMap(createStatements).map((sql) => statement(sql));
    const insert =
      'INSERT OR REPLACE INTO projections (name, definition, tables, position, log) VALUES (?, ?, ?, NULL, NULL)';
    await writer.ask([
      ...drops,
      ...creates,
      statement(insert, [projection.name, definitionOf(projection), tables]),
    ]);
  };

  return {
    async prepare(projection) {
      const row = select('SELECT definition, position, log FROM projections WHERE name = ?').get([
        projection.name,
      ]) as readonly [string, string | null, string | null] | undefined;
      if (row?.[0] !== definitionOf(projection)) {
        await reset(projection);
        return undefined;
      }
      const [, position, log] = row;
      return position === null || log === null ? undefined : { position, log };
    },
    reset,
    async commit(projection, writes, { position, log }) {
      const update = 'UPDATE projections SET position = ?, log = ? WHERE name = ?';
      await writer.ask([...toStatements(writes), statement(update, [position, log, projection.name])]);
    },
    get: (collection, id) => {
      const row = select(`SELECT id, position, document FROM ${tableOf(collection)} WHERE id = ?`).get([
        id,
      ]) as Row | undefined;
      return Promise.resolve(row && toStored(row));
    },
    find: (collection, find) => {
      const { sql, values } = findStatement(collection, find);
      return Promise.resolve((select(sql).all(values) as Row[]).map((row) => toStored(row)));
    },
    count: (collection, filter) => {
      const { sql, values } = countStatement(collection, filter);
      return Promise.resolve((select(sql).get(values) as readonly [number])[0]);
    },
    async close() {
      reader.close();
      await writer.close();
    },
  };
};

/** Neighbouring writes of one collection share a statement; the order stays. */
const toStatements = (writes: readonly Write[]): Statement[] => {
  const statements: { sql: string; rows: Value[][]; collection: Collection; isDelete: boolean }[] = [];
  for (const { collection, id, doc, position } of writes) {
    const isDelete = doc === null;
    let last = statements.at(-1);
    if (last?.collection !== collection || last.isDelete !== isDelete) {
      last = {
        sql: isDelete ? deleteStatement(collection) : upsertStatement(collection),
        rows: [],
        collection,
        isDelete,
      };
      statements.push(last);
    }
    last.rows.push(doc === null ? [id] : upsertValues(collection, id, position, doc));
  }
  return statements.map(({ sql, rows }) => ({ sql, rows }));
};

/** Prepares each text once; there are as many as there are kinds of finds. */
const cachedSelects = (reader: Connection) => {
  const prepared = new Map<string, ReturnType<Connection['prepare']>>();
  return (sql: string) => {
    let select = prepared.get(sql);
    if (!select) prepared.set(sql, (select = reader.prepare(sql).raw()));
    return select;
  };
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
