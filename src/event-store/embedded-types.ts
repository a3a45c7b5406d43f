import { openReader } from '../sqlite/connections.ts';
import type { TypeCount } from '../type-counts.ts';
import { toPosition } from './embedded-schema.ts';

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

type Row = readonly [string, number, number, number, string | null, number, string | null];

/**
 * What a log holds, by type and version in this order; read beside whoever runs the service.
 *
 * @param file path of `events.db`
 */
export const readEmbeddedTypes = (file: string): TypeCount[] => {
  const reader = openReader(file);
  try {
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
