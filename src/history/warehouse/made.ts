import { invalid } from '../../errors/domain-error.ts';
import type { Position } from '../../event-store/port.ts';
import { dayOrInstant } from '../../domain/instant.ts';
import type { EventsMeant } from '../moment/moment.ts';
import { shownReadModel, type ShownReadModel } from '../moment/shown.ts';
import type { CopySource } from './copy-source.ts';
import {
  appendTo,
  inTransaction,
  literal,
  MAX_APPENDED,
  textOfQuery,
  type ColumnType,
  type Database,
  type LastingDatabase,
} from './duckdb.ts';
import { sqlNameOf } from './schema.ts';
import type { NamedReadModel } from './statement.ts';

/** The last moments of a read model that a warehouse keeps, with that being made; those that a statement names stay too. */
const KEPT = 4;
/** Rows stored in one transaction, or a few more. */
const A_COMMIT = 10 * MAX_APPENDED;

const VARCHAR: ColumnType = 'VARCHAR';
const READ_MODELS = { schema: 'internal', table: 'read_models', types: [VARCHAR, VARCHAR, VARCHAR] };

/** The moment as a time that DuckDB reads as UTC, or as it was written where it is a position. */
const checkedMoment = (moment: string): string => {
  if (/^\d+(?:\/\d+)?$/.test(moment)) return moment;
  return dayOrInstant(moment, `The moment ${moment}`);
};

const eventsMeantBy = (key: string): EventsMeant => {
  const [position = key, at = null] = key.split('@');
  return { at, position };
};

/**
 * What the rows as of a moment are stored under: a position, after which '@' and the time stand where one was given.
 *
 * @throws DomainError for a moment after the position that the statement is answered at
 */
const keyOf = async (database: Database, moment: string | undefined, upTo: Position): Promise<string> => {
  if (moment === undefined) return upTo;
  const sql = `SELECT moment_within(${literal(checkedMoment(moment))}, ${literal(upTo)})`;
  const key = await textOfQuery(database, sql);
  if (key === undefined || eventsMeantBy(key).position > upTo)
    throw invalid(`No event stands at the position ${moment}; the last one is at ${upTo}`);
  return key;
};

/** Rows of a read model as of a moment. */
interface WantedRows {
  readonly readModel: ShownReadModel;
  readonly key: string;
}

const wantedRows = async (
  database: Database,
  named: readonly NamedReadModel[],
  upTo: Position,
): Promise<readonly WantedRows[]> => {
  const wanted: WantedRows[] = [];
  for (const { readModel, moment } of named)
    wanted.push({ readModel: shownReadModel(readModel), key: await keyOf(database, moment, upTo) });
  return wanted;
};

const isMade = async (database: Database, { readModel, key }: WantedRows): Promise<boolean> => {
  const sql = 'SELECT 1 FROM internal.made WHERE name = $1 AND as_of = $2';
  return (await textOfQuery(database, sql, [sqlNameOf(readModel), key])) !== undefined;
};

/** Whether the rows of all read models that a statement names are there. @throws as `makeReadModels` */
export const areMade = async (
  database: Database,
  named: readonly NamedReadModel[],
  upTo: Position,
): Promise<boolean> => {
  for (const each of await wantedRows(database, named, upTo))
    if (!(await isMade(database, each))) return false;
  return true;
};

export interface MakeOptions {
  readonly signal: AbortSignal;
  readonly onEvents: (name: string, applied: number, of: number | undefined) => void;
}

/** Deletes rows of a read model that were not made to the end, and those of the earliest moments not needed. */
const dropSome =
  ({ connection }: Database, name: string, needed: readonly string[]) =>
  async (): Promise<void> => {
    const keys = needed.map(literal).join(', ');
    await connection.run(
      `DELETE FROM internal.made WHERE name = '${name}' AND as_of NOT IN (${keys}) AND rowid NOT IN
     (SELECT rowid FROM internal.made WHERE name = '${name}' ORDER BY rowid DESC LIMIT ${KEPT - 1})`,
    );
    await connection.run(
      `DELETE FROM internal.read_models WHERE name = '${name}' AND as_of NOT IN
     (SELECT as_of FROM internal.made WHERE name = '${name}')`,
    );
  };

const append = (database: Database, name: string, key: string, rows: readonly string[]) => () =>
  appendTo(database, READ_MODELS).then((appending) => {
    try {
      for (let from = 0; from < rows.length; from += MAX_APPENDED) {
        const some = rows.slice(from, from + MAX_APPENDED);
        appending.append([some.map(() => name), some.map(() => key), some]);
      }
    } finally {
      appending.close();
    }
  });

const make = async (
  { within, close }: LastingDatabase,
  source: CopySource,
  readModel: ShownReadModel,
  key: string,
  needed: readonly string[],
  { signal, onEvents }: MakeOptions,
): Promise<void> => {
  const name = sqlNameOf(readModel);
  await within((database) => inTransaction(database, dropSome(database, name, needed)));
  // DuckDB frees its memory while events are applied, and after each part.
  close();
  const store = (rows: readonly string[]) =>
    within((database) => inTransaction(database, append(database, name, key, rows)));
  const batches = source.rowsOf(readModel, eventsMeantBy(key), {
    signal,
    onEvents: (applied, of) => onEvents(name, applied, of),
  });
  let rows: string[] = [];
  for await (const batch of batches) {
    for (const row of batch) rows.push(JSON.stringify(row));
    if (rows.length < A_COMMIT) continue;
    await store(rows);
    rows = [];
    close();
  }
  signal.throwIfAborted();
  await store(rows);
  // With this they are whole.
  await within(({ connection }) =>
    connection.run(`INSERT INTO internal.made VALUES ('${name}', ${literal(key)})`),
  );
};

/**
 * Puts the rows of the read models that a statement names into the warehouse, each as of its moment, where they are not
 * there yet. A macro of DuckDB cannot run the code of projections, so they are made before.
 *
 * @throws DomainError for a moment after that position
 */
export const makeReadModels = async (
  warehouse: LastingDatabase,
  source: CopySource,
  named: readonly NamedReadModel[],
  upTo: Position,
  options: MakeOptions,
): Promise<void> => {
  const { within } = warehouse;
  const wanted = await within((database) => wantedRows(database, named, upTo));
  for (const each of wanted) {
    const { readModel, key } = each;
    const needed = wanted.filter((other) => other.readModel === readModel).map((other) => other.key);
    if (!(await within((database) => isMade(database, each))))
      await make(warehouse, source, readModel, key, needed, options);
  }
};
