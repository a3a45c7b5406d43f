import { closeAfter, hasTable, openReader, type Connection } from '../../sqlite/connections.ts';
import type { RecordedLoss } from '../events-or-loss.ts';
import { toPosition } from './schema.ts';

/** The table of a salvaged log; others have none. */
export const LOST_RANGES_SCHEMA = `
CREATE TABLE IF NOT EXISTS lost (
  first INTEGER PRIMARY KEY,  -- positions that hold no event, and never will again
  last  INTEGER NOT NULL,
  what  TEXT    NOT NULL      -- why, and of which streams, as far as that was known
) STRICT`;

interface LostRange {
  readonly first: number;
  readonly last: number;
  readonly what: string;
}

/** The ranges of an event log that are noted as lost, in order. Its positions have no other gaps. */
export const createLostRanges = (ranges: readonly LostRange[]) => {
  /** How many of the positions between two others are lost. */
  const count = (after: number, before: number): number =>
    ranges.reduce(
      (sum, { first, last }) => sum + Math.max(0, Math.min(last, before - 1) - Math.max(first, after + 1) + 1),
      0,
    );
  return {
    ranges,
    count,
    /** Whether all positions of a range that is not empty are lost. */
    covers: (first: number, last: number): boolean => first <= last && count(first - 1, last + 1) === last - first + 1,
    /** The position so many events after another: lost positions do not count. */
    reach: (after: number, events: number): number =>
      ranges.reduce(
        (end, { first, last }) => (last > after && first <= end ? end + last - Math.max(first - 1, after) : end),
        after + events,
      ),
    /** The last position that is lost; 0 for none. */
    end: ranges.at(-1)?.last ?? 0,
  };
};
export type LostRanges = ReturnType<typeof createLostRanges>;

/** Reads what a file notes as lost, which never changes. */
export const readLostRanges = (connection: Connection): LostRanges => {
  if (!hasTable(connection, 'lost')) return createLostRanges([]);
  const select = 'SELECT first, last, CAST(what AS BLOB) FROM lost ORDER BY first';
  const rows = connection.prepare(select).raw().all([]) as [number, number, Buffer][];
  return createLostRanges(rows.map(([first, last, what]) => ({ first, last, what: what.toString() })));
};

/** A range as a part of an event log. */
export const toRecordedLoss = ({ first, last, what }: LostRange): RecordedLoss => ({
  kind: 'noted',
  first: toPosition(first),
  last: toPosition(last),
  what,
});

/** What the file of an event log notes as lost. @throws Error for one that cannot be read as an event log */
export const readRecordedLosses = (file: string): readonly RecordedLoss[] =>
  closeAfter(openReader(file), readLostRanges).ranges.map(toRecordedLoss);
