import { openReader, type Connection } from '../../sqlite/connections.ts';
import type { LogPart } from '../log-part.ts';
import { COLUMNS, toEvent, type Row } from './events.ts';
import { toPosition } from './schema.ts';

const BATCH_SIZE = 2_000;

type Read = { readonly rows: readonly Row[] } | { readonly why: string };

const reading = (connection: Connection) => {
  const select = connection
    .prepare(`SELECT ${COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`)
    .raw();
  return (after: number, end: number, limit: number): Read => {
    try {
      return { rows: select.all([after, end, limit]) as Row[] };
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error) };
    }
  };
};

/**
 * The position after which the file can be read again; undefined where it cannot up to the end. It looks ever further
 * ahead, and then for the border in between, as damage is mostly one range.
 */
const readableAfter = (
  read: ReturnType<typeof reading>,
  damaged: number,
  end: number,
): number | undefined => {
  const isReadable = (after: number) => 'rows' in read(after, end, 1);
  let [lower, step] = [damaged, 1];
  while (!isReadable(lower + step)) {
    lower += step;
    if (lower >= end) return undefined;
    step *= 2;
  }
  let upper = lower + step;
  while (upper - lower > 1) {
    const middle = Math.floor((lower + upper) / 2);
    if (isReadable(middle)) upper = middle;
    else lower = middle;
  }
  return upper < end ? upper : undefined;
};

/**
 * Reads the event log up to a position, around what SQLite cannot read; the service may be running on the file.
 *
 * @throws Error for a file that cannot be opened as an event log at all
 */
export function* readAroundDamage(file: string, end: number): Generator<LogPart, void, undefined> {
  const connection = openReader(file);
  try {
    const read = reading(connection);
    let [at, limit] = [0, BATCH_SIZE];
    while (at < end) {
      const got = read(at, end, limit);
      if ('why' in got) {
        if (limit > 1) {
          limit = Math.ceil(limit / 2);
          continue;
        }
        const again = readableAfter(read, at, end);
        const last = again === undefined ? undefined : toPosition(again);
        yield { kind: 'unreadable', first: toPosition(at + 1), last, why: got.why };
        if (again === undefined) return;
        at = again;
      } else {
        yield* partsOf(got.rows, at, end, limit);
        at = got.rows.length < limit ? end : (got.rows.at(-1)?.[0] ?? end);
      }
      limit = Math.min(BATCH_SIZE, limit * 2);
    }
  } finally {
    connection.close();
  }
}

/** Rows in runs, and the gaps between them: positions of a file have none. */
function* partsOf(rows: readonly Row[], after: number, end: number, limit: number): Generator<LogPart, void> {
  let [at, begin] = [after, 0];
  const missing = (next: number): LogPart => ({
    kind: 'missing',
    first: toPosition(at + 1),
    last: toPosition(next - 1),
  });
  const run = (until: number): LogPart => ({
    kind: 'events',
    events: rows.slice(begin, until).map(toEvent),
  });
  for (const [index, [position]] of rows.entries()) {
    if (position !== at + 1) {
      if (index > begin) yield run(index);
      yield missing(position);
      begin = index;
    }
    at = position;
  }
  if (rows.length > begin) yield run(rows.length);
  if (rows.length < limit && at < end) yield missing(end + 1);
}
