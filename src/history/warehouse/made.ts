import { invalid } from '../../errors/domain-error.ts';
import type { Position } from '../../event-store/port.ts';
import { dayOrInstant } from '../../domain/instant.ts';
import type { ShownReadModel } from '../moment/shown.ts';
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

/** The last moments of a read model that a copy keeps, with that being made; those that a statement names stay too. */
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

/** The position of a moment. @throws DomainError for one after the position that the statement is answered at */
const positionOf = async (
  database: Database,
  moment: string | undefined,
  upTo: Position,
): Promise<Position> => {
  if (moment === undefined) return upTo;
  const sql = `SELECT position_within(${literal(checkedMoment(moment))}, ${literal(upTo)})`;
  const position = await textOfQuery(database, sql);
  if (position === undefined || position > upTo)
    throw invalid(`No event stands at the position ${moment}; the last one is at ${upTo}`);
  return position;
};

/** Rows of a read model as of a position. */
interface WantedRows {
  readonly readModel: ShownReadModel;
  readonly position: Position;
}

const wantedRows = async (
  database: Database,
  named: readonly NamedReadModel[],
  upTo: Position,
): Promise<readonly WantedRows[]> => {
  const wanted: WantedRows[] = [];
  for (const { readModel, moment } of named)
    wanted.push({ readModel, position: await positionOf(database, moment, upTo) });
  return wanted;
};

const isMade = async (database: Database, { readModel, position }: WantedRows): Promise<boolean> => {
  const sql = 'SELECT 1 FROM internal.made WHERE name = $1 AND position = $2';
  return (await textOfQuery(database, sql, [sqlNameOf(readModel), position])) !== undefined;
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
  ({ connection }: Database, name: string, needed: readonly Position[]) =>
  async (): Promise<void> => {
    const positions = needed.map(literal).join(', ');
    await connection.run(
      `DELETE FROM internal.made WHERE name = '${name}' AND position NOT IN (${positions}) AND rowid NOT IN
     (SELECT rowid FROM internal.made WHERE name = '${name}' ORDER BY rowid DESC LIMIT ${KEPT - 1})`,
    );
    await connection.run(
      `DELETE FROM internal.read_models WHERE name = '${name}' AND position NOT IN
     (SELECT position FROM internal.made WHERE name = '${name}')`,
    );
  };

const append = (database: Database, name: string, position: Position, rows: readonly string[]) => () =>
  appendTo(database, READ_MODELS).then((appending) => {
    try {
      for (let from = 0; from < rows.length; from += MAX_APPENDED) {
        const some = rows.slice(from, from + MAX_APPENDED);
        appending.append([some.map(() => name), some.map(() => position), some]);
      }
    } finally {
      appending.close();
    }
  });

const make = async (
  { within, close }: LastingDatabase,
  source: CopySource,
  readModel: ShownReadModel,
  position: Position,
  needed: readonly Position[],
  { signal, onEvents }: MakeOptions,
): Promise<void> => {
  const name = sqlNameOf(readModel);
  await within((database) => inTransaction(database, dropSome(database, name, needed)));
  // DuckDB frees its memory while events are applied, and after each part.
  close();
  const store = (rows: readonly string[]) =>
    within((database) => inTransaction(database, append(database, name, position, rows)));
  const batches = source.rowsOf(readModel, position, {
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
    connection.run(`INSERT INTO internal.made VALUES ('${name}', ${literal(position)})`),
  );
};

/**
 * Puts the rows of the read models that a statement names into the copy, each as of its moment, where they are not
 * there yet. A macro of DuckDB cannot run the code of projections, so they are made before.
 *
 * @throws DomainError for a moment after that position
 */
export const makeReadModels = async (
  copy: LastingDatabase,
  source: CopySource,
  named: readonly NamedReadModel[],
  upTo: Position,
  options: MakeOptions,
): Promise<void> => {
  const { within } = copy;
  const wanted = await within((database) => wantedRows(database, named, upTo));
  for (const each of wanted) {
    const { readModel, position } = each;
    const needed = wanted.filter((other) => other.readModel === readModel).map((other) => other.position);
    if (!(await within((database) => isMade(database, each))))
      await make(copy, source, readModel, position, needed, options);
  }
};
