import { invalid } from '../../errors/domain-error.ts';
import type { Position } from '../../event-store/port.ts';
import { toInstant } from '../../domain/instant.ts';
import type { ShownReadModel } from '../moment/shown.ts';
import type { CopiedLog, CopyState, Showing } from './copy.ts';
import {
  appendTo,
  inTransaction,
  literal,
  MAX_APPENDED,
  textOfQuery,
  type ColumnType,
  type Database,
} from './duckdb.ts';
import { rowsOfReadModel } from './rows.ts';
import { sqlNameOf } from './schema.ts';
import type { NamedReadModel } from './statement.ts';

/** Moments of one read model that a copy keeps; the earliest made goes first. */
const KEPT = 4;

const VARCHAR: ColumnType = 'VARCHAR';
const READ_MODELS = { schema: 'copied', table: 'read_models', types: [VARCHAR, VARCHAR, VARCHAR] };

/** The moment as a time that DuckDB reads as UTC, or as it was written where it is a position. */
const checkedMoment = (moment: string): string => {
  if (/^\d+(?:\/\d+)?$/.test(moment)) return moment;
  return toInstant(
    /^\d{4}-\d{2}-\d{2}$/.test(moment) ? `${moment}T00:00:00Z` : moment,
    `The moment ${moment}`,
  );
};

/** The position of a moment. @throws DomainError for one that the copy does not reach */
const positionOf = async (
  database: Database,
  moment: string | undefined,
  upTo: Position,
): Promise<Position> => {
  if (moment === undefined) return upTo;
  const position = await textOfQuery(database, `SELECT position_of(${literal(checkedMoment(moment))})`);
  if (position === undefined || position > upTo)
    throw invalid(`No event stands at the position ${moment}; the last one is at ${upTo}`);
  return position;
};

export interface MakeOptions {
  readonly showing: Showing;
  readonly signal: AbortSignal;
  readonly onEvents: (name: string, applied: number, of: number | undefined) => void;
}

const make = async (
  database: Database,
  log: CopiedLog,
  readModel: ShownReadModel,
  position: Position,
  { showing: { mask }, signal, onEvents }: MakeOptions,
): Promise<void> => {
  const { connection } = database;
  const name = sqlNameOf(readModel);
  await inTransaction(database, async () => {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE dropped AS SELECT position FROM copied.made WHERE name = '${name}'
       ORDER BY rowid DESC OFFSET ${KEPT - 1}`,
    );
    for (const table of ['read_models', 'made'])
      await connection.run(
        `DELETE FROM copied.${table} WHERE name = '${name}' AND position IN (FROM dropped)`,
      );
    const appending = await appendTo(database, READ_MODELS);
    try {
      const rows = rowsOfReadModel(log, readModel, position, {
        mask,
        signal,
        onEvents: (applied, of) => onEvents(name, applied, of),
      });
      for await (const batch of rows)
        for (let from = 0; from < batch.length; from += MAX_APPENDED) {
          const some = batch.slice(from, from + MAX_APPENDED);
          appending.append([
            some.map(() => name),
            some.map(() => position),
            some.map((row) => JSON.stringify(row)),
          ]);
        }
      signal.throwIfAborted();
    } finally {
      appending.close();
    }
    await connection.run(`INSERT INTO copied.made VALUES ('${name}', ${literal(position)})`);
  });
};

/**
 * Puts the rows of the read models that a statement names into the copy, each as of its moment, where they are not there
 * yet. A macro of DuckDB cannot run the code of projections, so they are made before.
 *
 * @throws DomainError for a moment that cannot be
 */
export const makeReadModels = async (
  database: Database,
  log: CopiedLog,
  named: readonly NamedReadModel[],
  upTo: CopyState['position'],
  options: MakeOptions,
): Promise<void> => {
  for (const { readModel, moment } of named) {
    const position = await positionOf(database, moment, upTo);
    const isMade = await textOfQuery(
      database,
      'SELECT 1 FROM copied.made WHERE name = $1 AND position = $2',
      [sqlNameOf(readModel), position],
    );
    if (isMade === undefined) await make(database, log, readModel, position, options);
  }
};
