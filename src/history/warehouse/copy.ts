import { createHash } from 'node:crypto';
import { eventDefinitions } from '../../domain/index.ts';
import { START, type Position } from '../../event-store/port.ts';
import { compareLog } from '../../event-store/identity.ts';
import { using } from '../../lib/using.ts';
import { canonicalJson } from '../../schema/json.ts';
import type { FoundEvent } from '../find/event.ts';
import { comparedShownLog } from '../find/shown-log.ts';
import type { ShownAs } from '../moment/mask.ts';
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
  type LastingDatabase,
} from './duckdb.ts';
import type { CopySource } from './copy-source.ts';
import { COPY_SCHEMA, viewsOf } from './schema.ts';

/** Events stored in one transaction: as many as DuckDB stores together in a row group. */
export const A_COMMIT = 60 * MAX_APPENDED;

/** Raised when the tables of a copy change. */
const LAYOUT = 1;

/** What a copy was made with: with anything else it is made anew. */
const madeWith = ({ maskId, isMasked }: ShownAs): string =>
  createHash('sha256')
    .update(canonicalJson({ LAYOUT, maskId, views: viewsOf(isMasked), definitions: eventDefinitions }))
    .digest('hex');

const timeIn = ({ recordedAt }: FoundEvent): number | null => {
  const at = Date.parse(recordedAt ?? '');
  return Number.isNaN(at) ? null : at;
};

/** The columns of `copied.events`, in their order. */
const columns: readonly (readonly [ColumnType, (event: FoundEvent) => Appended])[] = [
  ['VARCHAR', ({ position }) => position],
  ['VARCHAR', ({ stream }) => stream],
  ['INTEGER', ({ revision }) => revision],
  ['VARCHAR', ({ id }) => id],
  ['VARCHAR', ({ type }) => type],
  ['INTEGER', ({ version }) => version],
  ['TIMESTAMP', timeIn],
  ['VARCHAR', ({ actor }) => actor],
  ['VARCHAR', ({ requestId }) => requestId],
  ['VARCHAR', ({ correlationId }) => correlationId],
  ['VARCHAR', ({ data }) => data && JSON.stringify(data)],
];
const EVENTS = { schema: 'copied', table: 'events', types: columns.map(([type]) => type) };

export interface CopyState {
  readonly position: Position;
  /** The id of the record there. */
  readonly mark: string | undefined;
}

const stateOf = async (database: Database, shownAs: ShownAs): Promise<CopyState | undefined> => {
  const isThere = await textOfQuery(
    database,
    "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'copied' AND table_name = 'state'",
  );
  if (isThere === undefined) return undefined;
  const [row] = await rowsOfQuery(database, 'SELECT position, mark, made_with FROM copied.state');
  if (!row || row[2] !== madeWith(shownAs)) return undefined;
  return { position: String(row[0]), mark: row[1] === null ? undefined : String(row[1]) };
};

const begin = async (database: Database, shownAs: ShownAs): Promise<CopyState> => {
  await inTransaction(database, async () => {
    const { connection } = database;
    await connection.run('DROP SCHEMA IF EXISTS copied CASCADE');
    await connection.run(COPY_SCHEMA);
    await connection.run(viewsOf(shownAs.isMasked));
    await connection.run(`INSERT INTO copied.state VALUES ('${START}', NULL, '${madeWith(shownAs)}')`);
  });
  return { position: START, mark: undefined };
};

/**
 * Whether the event log holds what the copy was made from: another may have been put in its place, also one of another
 * service on the same server.
 */
const isOf = async (
  database: Database,
  source: CopySource,
  { position, mark }: CopyState,
): Promise<boolean> => {
  if (position === START) return true;
  // Rows are in the event log's order, so the last two suffice; without them DuckDB reads the position of every row.
  const sql =
    'SELECT max(position) FROM copied.events WHERE position < $1 AND rowid >= (SELECT max(rowid) - 1 FROM copied.events)';
  const before = await textOfQuery(database, sql, [position]);
  // Rows are never removed.
  const [row] = await rowsOfQuery(database, 'SELECT position, id FROM copied.events WHERE rowid = 0');
  const seen = {
    first: row && { position: String(row[0]), id: String(row[1]) },
    last: mark === undefined ? null : { position, id: mark },
  };
  const log = comparedShownLog(source, position, before ?? START);
  return (await compareLog(seen, log)).kind === 'same';
};

/**
 * Up to where a copy can be gone on with; undefined where it is to be made, or made anew.
 *
 * @param onOther told that the copy is of another event log
 */
export const currentState = async (
  database: Database,
  source: CopySource,
  shownAs: ShownAs,
  onOther: () => void = () => undefined,
): Promise<CopyState | undefined> => {
  const found = await stateOf(database, shownAs);
  if (!found || (await isOf(database, source, found))) return found;
  onOther();
  return undefined;
};

export interface RefreshOptions {
  readonly shownAs: ShownAs;
  readonly signal: AbortSignal;
  /** Told how many events are copied so far, and how many are left, about, if that is known. */
  readonly onCopied: (events: number, left: number | undefined) => void;
  /** Told that a copy of something else is made anew. */
  readonly onRestart: () => void;
}

/** Copies events in one transaction, which ends early where there are no more. */
const copySome = async (
  database: Database,
  source: CopySource,
  from: CopyState,
  upTo: Position,
  signal: AbortSignal,
): Promise<{ readonly state: CopyState; readonly copied: number }> =>
  inTransaction(database, async () => {
    let [state, copied] = [from, 0];
    await using(appendTo(database, EVENTS), async (appending) => {
      const range = { after: from.position, upTo };
      for await (const { events } of source.read(range, undefined, A_COMMIT, signal)) {
        const last = events.at(-1);
        if (!last) continue;
        appending.append(columns.map(([, valueOf]) => events.map(valueOf)));
        state = { position: last.position, mark: last.id };
        copied += events.length;
      }
      // Aborted, the events end early.
      signal.throwIfAborted();
    });
    const { position, mark } = state;
    if (mark !== undefined && copied > 0)
      await database.connection.run(
        `UPDATE copied.state SET position = ${literal(position)}, mark = ${literal(mark)}`,
      );
    return { state, copied };
  });

/**
 * Brings a copy up to the end of the event log. Each part is one transaction, so that after a kill the next refresh
 * goes on. A copy of another event log, or one made by other code or with other masks, is made anew.
 *
 * @param copy closed between two parts, so that DuckDB frees its memory
 */
export const refreshCopy = async (
  copy: LastingDatabase,
  source: CopySource,
  { shownAs, signal, onCopied, onRestart }: RefreshOptions,
): Promise<CopyState> => {
  const { within } = copy;
  const found = await within((database) => currentState(database, source, shownAs, onRestart));
  let state = found ?? (await within((database) => begin(database, shownAs)));
  if (!found) copy.close();
  const head = await source.head();
  let all = 0;
  while (state.position < head) {
    const from = state;
    const part = await within((database) => copySome(database, source, from, head, signal));
    if (part.copied === 0) break;
    state = part.state;
    all += part.copied;
    if (state.position < head) copy.close();
    onCopied(all, await source.countIn({ after: state.position, upTo: head }));
  }
  return state;
};
