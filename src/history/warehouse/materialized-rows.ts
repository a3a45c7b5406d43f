import { createHash } from 'node:crypto';
import { invalid } from '../../errors/domain-error.ts';
import type { Position } from '../../event-store/port.ts';
import { parseDayOrTimestamp } from '../../schema/timestamp.ts';
import type { MomentCutoff } from '../moment/moment.ts';
import { requireHistoryReadModel, historyReadModels, type HistoryReadModel } from '../moment/history-read-models.ts';
import type { WarehouseSource } from './warehouse-source.ts';
import {
  openAppender,
  inTransaction,
  literal,
  MAX_APPENDED_ROWS,
  rowsOfQuery,
  textOfQuery,
  type ColumnType,
  type Database,
  type LazyDatabase,
} from './duckdb.ts';
import { readModelViewsSql, scratchSchemaSql, readModelSqlName } from './schema.ts';
import type { ReadModelReference } from './statement-analysis.ts';

/**
 * Rows of read models as of moments, in a scratch file beside the warehouse: they are made for statements that name
 * them.
 */
export const SCRATCH_FILE = 'scratch.duckdb';

/** How many moments of a read model are kept, with the one being made. Those that the statement names stay too. */
const KEPT_MOMENTS = 4;
/** Rows stored in one transaction, or a few more. */
const ROWS_PER_COMMIT = 10 * MAX_APPENDED_ROWS;

const VARCHAR: ColumnType = 'VARCHAR';
const ROWS = { schema: 'internal', table: 'read_model_rows', types: [VARCHAR, VARCHAR, VARCHAR] };

/** The moment as a time that DuckDB reads as UTC, or as it was written where it is a position. */
const checkedMoment = (moment: string): string => {
  if (/^\d+(?:\/\d+)?$/.test(moment)) return moment;
  return parseDayOrTimestamp(moment, `The moment ${moment}`);
};

const parseRowsKey = (key: string): MomentCutoff => {
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
  if (key === undefined || parseRowsKey(key).position > upTo)
    throw invalid(`No event stands at the position ${moment}; the last one is at ${upTo}`);
  return key;
};

/** Rows of a read model as of a moment. */
export interface RowsRequest {
  readonly readModel: HistoryReadModel;
  readonly key: string;
}

/**
 * Which rows a statement needs: the moments that it names, as the warehouse's events have them.
 *
 * @throws DomainError for a moment after the position that the statement is answered at
 */
export const resolveRowsRequests = async (
  database: Database,
  named: readonly ReadModelReference[],
  upTo: Position,
): Promise<readonly RowsRequest[]> => {
  const requests: RowsRequest[] = [];
  for (const { readModel, moment } of named)
    requests.push({ readModel: requireHistoryReadModel(readModel), key: await keyOf(database, moment, upTo) });
  return requests;
};

/** What rows are made with: with anything else they are made anew. @param warehouse its id */
const scratchDigest = (warehouse: string, isMasked: boolean): string => {
  const versions = historyReadModels.map(({ projection: { name, version } }) => `${name}@${version}`);
  return createHash('sha256')
    .update([warehouse, readModelViewsSql(isMasked, ''), ...versions].join('\n'))
    .digest('hex');
};

/** A warehouse, by its id, and whether it has masks. */
interface WarehouseIdentity {
  readonly id: string;
  readonly isMasked: boolean;
}

/** Whether a scratch file is that of a warehouse. */
export const isScratchOfWarehouse = async (
  scratch: Database,
  { id, isMasked }: WarehouseIdentity,
): Promise<boolean> => {
  const tables = await rowsOfQuery(scratch, "SELECT 1 FROM duckdb_tables() WHERE table_name = 'made_with'");
  if (tables.length === 0) return false;
  return (await textOfQuery(scratch, 'SELECT digest FROM internal.made_with')) === scratchDigest(id, isMasked);
};

/** Makes a new file the scratch file of a warehouse. */
export const beginScratch = (scratch: Database, { id, isMasked }: WarehouseIdentity): Promise<void> =>
  inTransaction(scratch, async () => {
    await scratch.connection.run(scratchSchemaSql);
    await scratch.connection.run(`INSERT INTO internal.made_with VALUES (${literal(scratchDigest(id, isMasked))})`);
  });

const isMaterialized = async (scratch: Database, { readModel, key }: RowsRequest): Promise<boolean> => {
  const sql = 'SELECT 1 FROM internal.materialized WHERE name = $1 AND as_of = $2';
  return (await textOfQuery(scratch, sql, [readModelSqlName(readModel), key])) !== undefined;
};

/** Whether all rows are there. */
export const areMaterialized = async (scratch: Database, requests: readonly RowsRequest[]): Promise<boolean> => {
  for (const request of requests) if (!(await isMaterialized(scratch, request))) return false;
  return true;
};

interface MaterializeOptions {
  readonly signal: AbortSignal;
  readonly onEvents: (name: string, applied: number, of: number | undefined) => void;
}

/** Deletes the incomplete rows of a read model, and those of the earliest moments that are not needed. */
const dropSome =
  ({ connection }: Database, name: string, needed: readonly string[]) =>
  async (): Promise<void> => {
    const keys = needed.map(literal).join(', ');
    await connection.run(
      `DELETE FROM internal.materialized WHERE name = '${name}' AND as_of NOT IN (${keys}) AND rowid NOT IN
     (SELECT rowid FROM internal.materialized WHERE name = '${name}' ORDER BY rowid DESC LIMIT ${KEPT_MOMENTS - 1})`,
    );
    await connection.run(
      `DELETE FROM internal.read_model_rows WHERE name = '${name}' AND as_of NOT IN
     (SELECT as_of FROM internal.materialized WHERE name = '${name}')`,
    );
  };

const append = (database: Database, name: string, key: string, rows: readonly string[]) => () =>
  openAppender(database, ROWS).then((appending) => {
    try {
      for (let from = 0; from < rows.length; from += MAX_APPENDED_ROWS) {
        const batch = rows.slice(from, from + MAX_APPENDED_ROWS);
        appending.append([batch.map(() => name), batch.map(() => key), batch]);
      }
    } finally {
      appending.close();
    }
  });

const materializeOne = async (
  { within, close }: LazyDatabase,
  source: WarehouseSource,
  { readModel, key }: RowsRequest,
  needed: readonly string[],
  { signal, onEvents }: MaterializeOptions,
): Promise<void> => {
  const name = readModelSqlName(readModel);
  await within((database) => inTransaction(database, dropSome(database, name, needed)));
  // DuckDB frees its memory while events are applied, and after each part.
  close();
  const store = (rows: readonly string[]) =>
    within((database) => inTransaction(database, append(database, name, key, rows)));
  const batches = source.rowsOf(readModel, parseRowsKey(key), {
    signal,
    onEvents: (applied, of) => onEvents(name, applied, of),
  });
  let rows: string[] = [];
  for await (const batch of batches) {
    for (const row of batch) rows.push(JSON.stringify(row));
    if (rows.length < ROWS_PER_COMMIT) continue;
    await store(rows);
    rows = [];
    close();
  }
  signal.throwIfAborted();
  await store(rows);
  // Marks the rows as complete.
  await within(({ connection }) =>
    connection.run(`INSERT INTO internal.materialized VALUES ('${name}', ${literal(key)})`),
  );
};

/**
 * Puts rows of read models into a scratch file, where they are not there yet. A macro of DuckDB cannot run the code of
 * projections, so they are made before the statement runs.
 */
export const materializeMissingRows = async (
  scratch: LazyDatabase,
  source: WarehouseSource,
  requests: readonly RowsRequest[],
  options: MaterializeOptions,
): Promise<void> => {
  for (const request of requests) {
    const needed = requests.filter(({ readModel }) => readModel === request.readModel).map(({ key }) => key);
    if (!(await scratch.within((database) => isMaterialized(database, request))))
      await materializeOne(scratch, source, request, needed, options);
  }
};
