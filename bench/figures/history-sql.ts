import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import type { Context, World } from '../context.ts';
import type { Contender, Figure } from '../figure.ts';
import { measureHiring, runHiring } from '../processes/hiring.ts';
import { formatNumber } from '../report/format.ts';
import { copyWorld } from '../worlds.ts';

/** Events that a copy lacks before it is brought up to date. */
const NEW = 10_000;
const NOTHING_NEW = 'a statement about nothing';
const AFTER_NEW = `after ${NEW} more events`;
const GROUPED = 'all events, grouped';
const GROUP_BY = 'SELECT type, count(*), min(recorded_at), max(recorded_at) FROM events GROUP BY type';

const removeLast = (eventsFile: string, count: number): void => {
  const log = new Database(eventsFile);
  try {
    log.prepare('DELETE FROM events WHERE position > (SELECT max(position) FROM events) - ?').run(count);
    // Where the log said that it had more, that would be damage.
    log.exec('PRAGMA user_version = 0');
  } finally {
    log.close();
  }
};

/** Statements of SQL, each the whole command, over a copy that is there. */
export const statementsOn = async (
  { directory, population: { events } }: World,
  { scratch, say }: Context,
): Promise<Figure> => {
  const copies = await scratch();
  const [older, current] = [join(copies, 'older'), join(copies, 'current')];
  const sql = (statement: string, copy: string) => [
    ...['history', 'sql', statement, '--output', 'csv', '--copy', copy],
  ];
  const earlier = await scratch();
  await copyWorld(directory, earlier, 'log');
  removeLast(join(earlier, 'events.db'), NEW);
  say('Making a copy for SQL');
  await runHiring(earlier, sql('SELECT 1', older));
  await cp(older, current, { recursive: true });
  await runHiring(directory, sql('SELECT 1', current));
  const asking = (name: string, statement: string): Contender => ({
    name,
    measure: async () => ({ ...(await measureHiring(directory, sql(statement, current))) }),
  });
  const refreshing: Contender = {
    name: AFTER_NEW,
    async measure() {
      const copy = join(copies, 'refreshed');
      await cp(older, copy, { recursive: true });
      const measured = await measureHiring(directory, sql('SELECT max(position) FROM events', copy));
      await rm(copy, { recursive: true });
      return { ...measured };
    },
  };
  return {
    name: `SQL, ${formatNumber(events, 0)} events`,
    contenders: [asking(NOTHING_NEW, 'SELECT 1'), refreshing, asking(GROUPED, GROUP_BY)],
    targets: [
      { says: 'seconds after 10,000 more events', measure: 'seconds', of: AFTER_NEW, must: { atMost: 2 } },
      { says: 'seconds for all events, grouped', measure: 'seconds', of: GROUPED, must: { atMost: 1 } },
    ],
    warmsUp: true,
    rounds: 3,
  };
};
