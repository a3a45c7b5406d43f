import { openReader } from '../../sqlite/connections.ts';
import type { TypeCount } from '../type-counts.ts';
import { toPosition } from './schema.ts';
import { FAULTS, ForeignEvent, whatIsForeign } from '../foreign-event.ts';

const COUNTS = `
WITH counts AS (
  SELECT type, version, count(*) AS events, min(position) AS first, max(position) AS last
  FROM events GROUP BY type, version
)
SELECT counts.type, counts.version, counts.events,
  first, first_event.metadata ->> 'recordedAt', last, last_event.metadata ->> 'recordedAt'
FROM counts
JOIN events AS first_event ON first_event.position = first
JOIN events AS last_event ON last_event.position = last
ORDER BY counts.type, counts.version`;

const typeOf = (column: string) => `CASE WHEN json_valid(${column}) THEN json_type(${column}) END`;

/** The first event that this service cannot have written. */
const FOREIGN = `
SELECT stream, revision, ${typeOf('data')} IS 'object' FROM events
WHERE ${typeOf('data')} IS NOT 'object' OR ${typeOf('metadata')} IS NOT 'object'
ORDER BY position LIMIT 1`;

type ForeignRow = readonly [string, number, 0 | 1];
type Row = readonly [string, number, number, number, string | null, number, string | null];

/**
 * Counts events by type and version, in this order; the service may be running on the file.
 *
 * @param file path of `events.db`
 * @throws ForeignEvent for an event that this service cannot have written
 */
export const readEmbeddedTypes = (file: string): TypeCount[] => {
  const reader = openReader(file);
  try {
    const foreign = reader.prepare(FOREIGN).raw().get([]) as ForeignRow | undefined;
    if (foreign) {
      const [stream, revision, hasData] = foreign;
      throw new ForeignEvent(
        whatIsForeign({ stream, revision, foreign: FAULTS[hasData ? 'metadata' : 'data'] }),
      );
    }
    const rows = reader.prepare(COUNTS).raw().all([]) as Row[];
    return rows.map(([type, version, events, first, firstAt, last, lastAt]) => ({
      type,
      version,
      events,
      first: { position: toPosition(first), recordedAt: firstAt },
      last: { position: toPosition(last), recordedAt: lastAt },
    }));
  } finally {
    reader.close();
  }
};
