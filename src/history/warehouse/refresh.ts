import { createHash, randomUUID } from 'node:crypto';
import { eventDefinitions } from '../../domain/index.ts';
import { START_POSITION, type Position } from '../../event-store/port.ts';
import { compareLogIdentity } from '../../event-store/identity.ts';
import { using } from '../../lib/using.ts';
import { canonicalJson } from '../../schema/json.ts';
import type { HistoryEvent } from '../moment/history-event.ts';
import { logIdentityReaderOfSource } from '../moment/history-event-source.ts';
import type { MaskIdentity } from '../moment/mask.ts';
import {
  openAppender,
  inTransaction,
  literal,
  MAX_APPENDED_ROWS,
  rowsOfQuery,
  textOfQuery,
  type AppendedValue,
  type ColumnType,
  type Database,
  type LazyDatabase,
} from './duckdb.ts';
import type { WarehouseSource } from './warehouse-source.ts';
import { updateWarehouseTables } from './derive.ts';
import { warehouseSchemaSql } from './schema.ts';

/** Events stored in one transaction: as many as DuckDB stores together in a row group. */
const EVENTS_PER_COMMIT = 60 * MAX_APPENDED_ROWS;

/** Raised when rows of tables that stay the same are made in another way. */
const LAYOUT = 2;

/** What a warehouse was made with: with anything else it is made anew. */
const warehouseDigest = ({ maskId, isMasked }: MaskIdentity): string =>
  createHash('sha256')
    .update(canonicalJson({ LAYOUT, maskId, schema: warehouseSchemaSql(isMasked), definitions: eventDefinitions }))
    .digest('hex');

const timeIn = ({ recordedAt }: HistoryEvent): number | null => {
  const at = Date.parse(recordedAt ?? '');
  return Number.isNaN(at) ? null : at;
};

/** The columns of `events`, in their order. */
const columns: readonly (readonly [ColumnType, (event: HistoryEvent, seq: number) => AppendedValue])[] = [
  ['BIGINT', (_event, seq) => seq],
  ['VARCHAR', ({ position }) => position],
  ['VARCHAR', ({ stream }) => stream],
  ['INTEGER', ({ revision }) => revision],
  ['VARCHAR', ({ id }) => id],
  ['VARCHAR', ({ type }) => type],
  ['INTEGER', ({ version }) => version],
  ['TIMESTAMPTZ', timeIn],
  ['VARCHAR', ({ actor }) => actor],
  ['VARCHAR', ({ requestId }) => requestId],
  ['VARCHAR', ({ correlationId }) => correlationId],
  ['VARCHAR', ({ data }) => data && JSON.stringify(data)],
];
const EVENTS = { schema: 'main', table: 'events', types: columns.map(([type]) => type) };

export interface WarehouseState {
  /** Of the warehouse, since it was begun. */
  readonly id: string;
  readonly position: Position;
  /** The id of the record there. */
  readonly mark: string | undefined;
  /** The number of the last event. */
  readonly seq: number;
  /** That of the last event from which rows are derived: less after a kill. */
  readonly derivedSeq: number;
}

const stateOf = async (database: Database, shownAs: MaskIdentity): Promise<WarehouseState | undefined> => {
  const isThere = await textOfQuery(
    database,
    "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'internal' AND table_name = 'state'",
  );
  if (isThere === undefined) return undefined;
  // Other code may have stored a state of another shape.
  const code = await textOfQuery(database, 'SELECT made_with FROM internal.state');
  if (code !== warehouseDigest(shownAs)) return undefined;
  const [row] = await rowsOfQuery(database, 'SELECT id, position, mark, seq, derived_seq FROM internal.state');
  if (!row) return undefined;
  const [id, position, mark, seq, derivedSeq] = row;
  return {
    id: String(id),
    position: String(position),
    mark: mark === null ? undefined : String(mark),
    seq: Number(seq),
    derivedSeq: Number(derivedSeq),
  };
};

const begin = (database: Database, shownAs: MaskIdentity): Promise<WarehouseState> =>
  inTransaction(database, async () => {
    const { connection } = database;
    const id = randomUUID();
    await connection.run(warehouseSchemaSql(shownAs.isMasked));
    await connection.run(
      `INSERT INTO internal.state VALUES ('${id}', '${START_POSITION}', NULL, 0, 0, '${warehouseDigest(shownAs)}')`,
    );
    return { id, position: START_POSITION, mark: undefined, seq: 0, derivedSeq: 0 };
  });

/**
 * Whether the event log holds what the warehouse was made from: another may have been put in its place, also one of
 * another service on the same server.
 */
const isOf = async (
  database: Database,
  source: WarehouseSource,
  { position, mark, seq }: WarehouseState,
): Promise<boolean> => {
  if (position === START_POSITION) return true;
  const rows = await rowsOfQuery(database, `SELECT position, id FROM events WHERE seq IN (1, ${seq - 1}) ORDER BY seq`);
  const [first] = rows;
  const before = seq > 1 ? rows.at(-1) : undefined;
  const seen = {
    first: first && { position: String(first[0]), id: String(first[1]) },
    last: mark === undefined ? null : { position, id: mark },
  };
  const log = logIdentityReaderOfSource(source, position, String(before?.[0] ?? START_POSITION));
  return (await compareLogIdentity(seen, log)).kind === 'same';
};

/** Where a warehouse can be continued; undefined where it is to be made, or made anew, as for another event log. */
export const findResumableState = async (
  database: Database,
  source: WarehouseSource,
): Promise<WarehouseState | undefined> => {
  const found = await stateOf(database, source.shownAs);
  return found && (await isOf(database, source, found)) ? found : undefined;
};

interface RefreshOptions {
  readonly signal: AbortSignal;
  /** Told how many events are copied so far, and how many are left, about, if that is known. */
  readonly onCopied: (events: number, left: number | undefined) => void;
}

/** Copies events in one transaction, which ends early where there are no more. */
const copySome = async (
  database: Database,
  source: WarehouseSource,
  from: WarehouseState,
  upTo: Position,
  signal: AbortSignal,
): Promise<WarehouseState> =>
  inTransaction(database, async () => {
    let state = from;
    await using(openAppender(database, EVENTS), async (appending) => {
      const range = { after: from.position, upTo };
      for await (const { events } of source.read(range, undefined, EVENTS_PER_COMMIT, signal)) {
        const last = events.at(-1);
        if (!last) continue;
        const { seq } = state;
        appending.append(columns.map(([, valueOf]) => events.map((event, at) => valueOf(event, seq + at + 1))));
        state = { ...state, position: last.position, mark: last.id, seq: seq + events.length };
      }
      // Aborted, the events end early.
      signal.throwIfAborted();
    });
    const { position, mark, seq } = state;
    if (mark === undefined || seq === from.seq) return state;
    await database.connection.run(
      `UPDATE internal.state SET position = ${literal(position)}, mark = ${literal(mark)}, seq = ${seq}`,
    );
    return state;
  });

/**
 * Brings a warehouse up to a position of the event log. Each part is one transaction, so that after a kill the next
 * refresh goes on.
 *
 * @param warehouse closed between two parts, so that DuckDB frees its memory
 * @param found where it is continued; undefined: it is a new file
 */
export const refreshWarehouse = async (
  { within, close }: LazyDatabase,
  source: WarehouseSource,
  found: WarehouseState | undefined,
  upTo: Position,
  { signal, onCopied }: RefreshOptions,
): Promise<WarehouseState> => {
  let state = found ?? (await within((database) => begin(database, source.shownAs)));
  if (!found) close();
  const { seq: already } = state;
  if (state.position < upTo) onCopied(0, await source.countIn({ after: state.position, upTo }));
  while (state.position < upTo) {
    const from = state;
    state = await within((database) => copySome(database, source, from, upTo, signal));
    if (state.seq === from.seq) break;
    if (state.position < upTo) close();
    onCopied(state.seq - already, await source.countIn({ after: state.position, upTo }));
  }
  if (state.derivedSeq < state.seq)
    await within(async (database) => {
      const { derivedSeq: after, seq: upTo } = state;
      await updateWarehouseTables(database, { after, upTo }, source.shownAs.isMasked);
      await database.connection.run(`UPDATE internal.state SET derived_seq = ${upTo}`);
    });
  return { ...state, derivedSeq: state.seq };
};
