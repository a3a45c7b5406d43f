import { setImmediate } from 'node:timers/promises';
import { openReader } from '../../sqlite/connections.ts';
import type { Position } from '../port.ts';
import { beginTypeCounts, type TypeCount } from '../type-counts.ts';
import { fromPosition, toPosition } from './schema.ts';
import { FAULTS, ForeignEvent, whatIsForeign } from '../foreign-event.ts';

const COUNTS = `
WITH counts AS (
  SELECT type, version, count(*) AS events, min(position) AS first, max(position) AS last
  FROM events WHERE position > ? AND position <= ? GROUP BY type, version
)
SELECT counts.type, counts.version, counts.events,
  first, first_event.metadata ->> 'recordedAt', last, last_event.metadata ->> 'recordedAt'
FROM counts
JOIN events AS first_event ON first_event.position = first
JOIN events AS last_event ON last_event.position = last`;

const typeOf = (column: string) => `CASE WHEN json_valid(${column}) THEN json_type(${column}) END`;

/** The first event that this service cannot have written. */
const FOREIGN = `
SELECT stream, revision, ${typeOf('data')} IS 'object' FROM events
WHERE position > ? AND position <= ?
  AND (${typeOf('data')} IS NOT 'object' OR ${typeOf('metadata')} IS NOT 'object')
ORDER BY position LIMIT 1`;

type ForeignRow = readonly [string, number, 0 | 1];
type Row = readonly [string, number, number, number, string | null, number, string | null];

/** Events counted in one turn of the event loop. */
const A_PART = 20_000;

/** Counts and throws as `CountedLog` does; the service may be running on the file. */
export const readEmbeddedTypes = async (
  file: string,
  upTo: Position,
  signal?: AbortSignal,
): Promise<TypeCount[]> => {
  const reader = openReader(file);
  try {
    const selectForeign = reader.prepare(FOREIGN).raw();
    const select = reader.prepare(COUNTS).raw();
    const counts = beginTypeCounts();
    const end = fromPosition(upTo);
    for (let after = 0; after < end; after += A_PART) {
      const part = [after, Math.min(after + A_PART, end)];
      const foreign = selectForeign.get(part) as ForeignRow | undefined;
      if (foreign) {
        const [stream, revision, hasData] = foreign;
        throw new ForeignEvent(
          whatIsForeign({ stream, revision, foreign: FAULTS[hasData ? 'metadata' : 'data'] }),
        );
      }
      for (const [type, version, events, first, firstAt, last, lastAt] of select.all(part) as Row[])
        counts.add({
          type,
          version,
          events,
          first: { position: toPosition(first), recordedAt: firstAt },
          last: { position: toPosition(last), recordedAt: lastAt },
        });
      await setImmediate();
      signal?.throwIfAborted();
    }
    return counts.all();
  } finally {
    reader.close();
  }
};
