import { setImmediate } from 'node:timers/promises';
import type { Connection } from '../../sqlite/connections.ts';
import { readLostRanges } from './lost-ranges.ts';
import { damagedRangeError, MISSING_EVENT_TEXT } from './verifying-reader.ts';

/** The type is as bytes, for the reason that `EventRow` has; null where it is damaged. */
type TypeCountRow = readonly [Buffer | null, number];

/**
 * Counts the events of an event log by type, reading each part of it only once.
 *
 * @param partSize events counted in one turn of the event loop
 */
export const createEventTypeCounter = (reader: Connection, file: string, partSize = 20_000) => {
  const select = reader
    .prepare('SELECT CAST(type AS BLOB), count(*) FROM events WHERE position > ? AND position <= ? GROUP BY type')
    .raw();

  const lost = readLostRanges(reader);
  /** By type, one map for each part. */
  const parts: ReadonlyMap<string, number>[] = [];
  const count = (after: number, upTo: number): ReadonlyMap<string, number> => {
    const rows = select.all([after, upTo]) as TypeCountRow[];
    if (rows.reduce((sum, [, events]) => sum + events, lost.count(after, upTo + 1)) !== upTo - after)
      throw damagedRangeError(file, after + 1, upTo, MISSING_EVENT_TEXT);
    return new Map(rows.map(([type, events]) => [String(type), events]));
  };

  return {
    /** @param upTo a position that the event log has reached; positions have no gaps but lost ones */
    async of(types: readonly string[], upTo: number): Promise<number> {
      let events = 0;
      const add = (byType: ReadonlyMap<string, number>): void => {
        for (const type of types) events += byType.get(type) ?? 0;
      };
      const whole = Math.floor(upTo / partSize);
      for (let index = 0; index < whole; index++) {
        let byType = parts[index];
        if (!byType) {
          parts[index] = byType = count(index * partSize, (index + 1) * partSize);
          await setImmediate();
        }
        add(byType);
      }
      add(count(whole * partSize, upTo));
      return events;
    },
  };
};
