import { createHash } from 'node:crypto';
import { decoder } from '../../domain/decode.ts';
import { eventDefinitions } from '../../domain/index.ts';
import { ownRecordAt } from '../../event-store/own-record.ts';
import {
  START,
  type EventLog,
  type LogStatistics,
  type Position,
  type RecordedEvent,
} from '../../event-store/port.ts';
import { canonicalJson } from '../../schema/json.ts';
import type { Mask } from '../moment/mask.ts';
import type { Showing } from '../moment/showing.ts';
import {
  appendTo,
  inTransaction,
  literal,
  MAX_APPENDED,
  rowsOfQuery,
  textOfQuery,
  type Appended,
  type ColumnType,
  type Database,
  type WithDatabase,
} from '../tables/duckdb.ts';
import { COPY_SCHEMA, viewsOf } from './schema.ts';

/** Events stored in one transaction, or a few more: as many as DuckDB stores together in a row group. */
const A_COMMIT = 60 * MAX_APPENDED;

/** Raised when the tables of a copy change. */
const LAYOUT = 1;

/** What a copy was made with: with anything else it is made anew. */
const madeWith = ({ maskId, isMasked }: Showing): string =>
  createHash('sha256')
    .update(canonicalJson({ LAYOUT, maskId, views: viewsOf(isMasked), definitions: eventDefinitions }))
    .digest('hex');

const decode = decoder(eventDefinitions);
const schemas = new Map<string, unknown>(eventDefinitions.map(({ type, data }) => [type, data]));

/** The data as this code reads it, with its personal members masked; null for an event that it cannot read. */
const dataOf = (event: RecordedEvent, mask: Mask): string | null => {
  try {
    const decoded = decode(event);
    // The data of a decoded event is JSON.
    return decoded ? JSON.stringify(mask(schemas.get(event.type), decoded.data)) : null;
  } catch {
    return null;
  }
};

const textIn = ({ metadata }: RecordedEvent, name: string): string | null => {
  const value = metadata[name];
  return typeof value === 'string' ? value : null;
};

const timeIn = (event: RecordedEvent): number | null => {
  const at = Date.parse(textIn(event, 'recordedAt') ?? '');
  return Number.isNaN(at) ? null : at;
};

/** The columns of `copied.events`, in their order. */
const columns: readonly (readonly [ColumnType, (event: RecordedEvent, mask: Mask) => Appended])[] = [
  ['VARCHAR', ({ position }) => position],
  ['VARCHAR', ({ stream }) => stream],
  ['INTEGER', ({ revision }) => revision],
  ['VARCHAR', ({ id }) => id],
  ['VARCHAR', ({ type }) => type],
  ['INTEGER', ({ version }) => version],
  ['TIMESTAMP', timeIn],
  ['VARCHAR', (event) => textIn(event, 'actor')],
  ['VARCHAR', (event) => textIn(event, 'requestId')],
  ['VARCHAR', (event) => textIn(event, '$correlationId')],
  ['VARCHAR', dataOf],
];
const EVENTS = { schema: 'copied', table: 'events', types: columns.map(([type]) => type) };

/** How far a copy is. */
export interface CopyState {
  readonly position: Position;
  /** The id of the record there. */
  readonly mark: string | undefined;
}

const stateOf = async (database: Database, showing: Showing): Promise<CopyState | undefined> => {
  const isThere = await textOfQuery(
    database,
    "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'copied' AND table_name = 'state'",
  );
  if (isThere === undefined) return undefined;
  const [row] = await rowsOfQuery(database, 'SELECT position, mark, made_with FROM copied.state');
  if (!row || row[2] !== madeWith(showing)) return undefined;
  return { position: String(row[0]), mark: row[1] === null ? undefined : String(row[1]) };
};

const begin = async (database: Database, showing: Showing): Promise<CopyState> => {
  await inTransaction(database, async () => {
    const { connection } = database;
    await connection.run('DROP SCHEMA IF EXISTS copied CASCADE');
    await connection.run(COPY_SCHEMA);
    await connection.run(viewsOf(showing.isMasked));
    await connection.run(`INSERT INTO copied.state VALUES ('${START}', NULL, '${madeWith(showing)}')`);
  });
  return { position: START, mark: undefined };
};

/** What a refresh reads. */
export type CopiedLog = Pick<EventLog, 'head' | 'readAll' | 'recordAt' | 'readGroups'> &
  Pick<LogStatistics, 'countAfter'>;

/**
 * Whether the event log holds what the copy was made from: another may have been put in its place, also one of another
 * service on the same server.
 */
const isOf = async (log: CopiedLog, { position, mark }: CopyState): Promise<boolean> => {
  if (position === START) return true;
  const record = await ownRecordAt(log, position);
  return record !== undefined && record.id === mark;
};

export interface RefreshOptions {
  readonly showing: Showing;
  readonly signal: AbortSignal;
  /** Told how many events are copied so far, and how many are left, about. */
  readonly onCopied: (events: number, left: number) => void;
  /** Told that a copy of something else is made anew. */
  readonly onAnew: () => void;
}

/** Copies events in one transaction, which ends early where there are no more. */
const copySome = async (
  database: Database,
  log: CopiedLog,
  from: CopyState,
  mask: Mask,
  signal: AbortSignal,
): Promise<{ readonly state: CopyState; readonly copied: number }> =>
  inTransaction(database, async () => {
    const appending = await appendTo(database, EVENTS);
    let [state, copied] = [from, 0];
    try {
      while (copied < A_COMMIT) {
        signal.throwIfAborted();
        const events = await log.readAll(state.position, MAX_APPENDED);
        const last = events.at(-1);
        if (!last) break;
        appending.append(columns.map(([, valueOf]) => events.map((event) => valueOf(event, mask))));
        state = { position: last.position, mark: last.id };
        copied += events.length;
      }
    } finally {
      appending.close();
    }
    const { position, mark } = state;
    if (mark !== undefined && copied > 0)
      await database.connection.run(
        `UPDATE copied.state SET position = ${literal(position)}, mark = ${literal(mark)}`,
      );
    return { state, copied };
  });

/**
 * Brings a copy up to the end of the event log. Each part is one transaction, so that after a kill the next refresh goes
 * on. A copy of another event log, or one made by other code or with other masks, is made anew.
 *
 * @param within opens the copy for one part: closed in between, DuckDB gives its memory back
 */
export const refreshCopy = async (
  within: WithDatabase,
  log: CopiedLog,
  { showing, signal, onCopied, onAnew }: RefreshOptions,
): Promise<CopyState> => {
  let state = await within(async (database) => {
    const found = await stateOf(database, showing);
    const isCurrent = found !== undefined && (await isOf(log, found));
    if (found && !isCurrent) onAnew();
    return isCurrent ? found : begin(database, showing);
  });
  const head = await log.head();
  let all = 0;
  while (state.position < head) {
    const from = state;
    const part = await within((database) => copySome(database, log, from, showing.mask, signal));
    if (part.copied === 0) break;
    state = part.state;
    all += part.copied;
    onCopied(all, await log.countAfter(state.position));
  }
  return state;
};
