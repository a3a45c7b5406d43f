import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { updateWarehouseTables } from '../../../src/history/warehouse/derive.ts';
import { withDatabase, textOfQuery } from '../../../src/history/warehouse/duckdb.ts';
import { WAREHOUSE_FILE } from '../../../src/history/warehouse/runnable-statement.ts';
import { derivedTables } from '../../../src/history/warehouse/derived-tables.ts';
import type { RecordedEvent } from '../../../src/event-store/port.ts';
import { logOf } from '../../projections/applying.ts';
import { choices, histories, interleave } from '../../support/history.ts';
import { expectedApplications } from './expected.ts';
import { answers, refresh } from './stage.ts';

const logs = fc.tuple(histories, choices).map(([history, order]) => logOf(interleave(history, order)).events);

/** All rows of all derived tables, in an order of their own. */
const ALL = derivedTables.map(({ name }) => `FROM ${name} ORDER BY ALL`);

const APPLICATIONS = `SELECT candidate_id, outcome, interviews_moved, interviews_cancelled,
  epoch_ms(COLUMNS('^(saved|applied|first_answer|shortlisted|scheduled|interviewed|hired|rejected|closed)_at$'))
  FROM applications ORDER BY candidate_id`;
const STAYS = `SELECT candidate_id, state, ended_by, epoch_ms(COLUMNS('^(began|ended)_at$')) FROM stays ORDER BY candidate_id, rowid`;

describe('The tables of the warehouse', function () {
  this.timeout(120_000);
  let directory: string;
  let made = 0;
  before(async () => (directory = await mkdtemp(join(tmpdir(), 'hiring-warehouse-'))));
  after(() => rm(directory, { recursive: true }));
  const newDirectory = (): string => join(directory, String(made++));

  const ofLog = async (events: readonly RecordedEvent[], statements = ALL) => {
    const where = newDirectory();
    await refresh(where, events);
    return answers(where, statements);
  };

  it('say of applications and their stays what their events say one by one', () =>
    fc.assert(
      fc.asyncProperty(logs, async (events) => {
        const expected = expectedApplications(events);
        const number = (time: number | null) => (time === null ? null : String(time));
        const [applications, stays] = await ofLog(events, [APPLICATIONS, STAYS]);
        expect(applications).to.deep.equal(
          expected.map((each) => ({
            candidate_id: each.id,
            outcome: each.outcome,
            interviews_moved: String(each.moves),
            interviews_cancelled: String(each.cancelled),
            saved_at: number(each.saved),
            applied_at: number(each.applied),
            first_answer_at: number(each.answer),
            shortlisted_at: number(each.shortlisted),
            scheduled_at: number(each.scheduled),
            interviewed_at: number(each.interviewed),
            hired_at: number(each.hired),
            rejected_at: number(each.rejected),
            closed_at: number(each.closed),
          })),
        );
        const sorted = (rows: readonly object[] = []) => rows.map((row) => JSON.stringify(row)).sort();
        expect(sorted(stays)).to.deep.equal(
          sorted(
            expected.flatMap(({ id, stays: all }) =>
              all.map((stay) => ({
                candidate_id: id,
                state: stay.state,
                ended_by: stay.by,
                began_at: number(stay.began),
                ended_at: number(stay.ended),
              })),
            ),
          ),
        );
      }),
      { numRuns: 8 },
    ));

  it('are the same whether events came at once or one part after another, and at a position what they were then', () =>
    fc.assert(
      fc.asyncProperty(logs, fc.nat({ max: 99 }), async (events, percent) => {
        const [atOnce, inParts] = [newDirectory(), newDirectory()];
        const part = events.slice(0, Math.round((events.length * percent) / 100));
        await refresh(inParts, part);
        const then = await answers(inParts, ALL);
        await refresh(inParts, events);
        await refresh(atOnce, events);
        expect(await answers(inParts, ALL)).to.deep.equal(await answers(atOnce, ALL));
        const upTo = part.at(-1)?.position;
        if (upTo !== undefined) expect(await answers(atOnce, ALL, { upTo })).to.deep.equal(then);
      }),
      { numRuns: 4 },
    ));

  it('are the same when they are derived again, entity by entity', async () => {
    const [log] = fc.sample(logs, { numRuns: 1, seed: 2 });
    const where = newDirectory();
    await refresh(where, log ?? []);
    const once = await answers(where, ALL);
    const options = { spillTo: where, isReadOnly: false, threads: 1 } as const;
    await withDatabase(
      join(where, WAREHOUSE_FILE),
      options,
    )((database) => updateWarehouseTables(database, { after: 0, upTo: log?.length ?? 0 }, false, 1));
    expect(await answers(where, ALL)).to.deep.equal(once);
  });

  it('of types have no row of an event that this code cannot read', async () => {
    const [log = []] = fc.sample(logs, { numRuns: 1, seed: 1 });
    const where = newDirectory();
    await refresh(
      where,
      log.map((event, index) => (index === 0 ? { ...event, version: 99 } : event)),
    );
    const type = log[0]?.type ?? '';
    const counts = `SELECT (SELECT count(*) FROM events WHERE type = '${type}') AS events, (SELECT count(*) FROM ${type}) AS rows`;
    const readable = log.filter((event) => event.type === type).length - 1;
    expect(await answers(where, [counts])).to.deep.equal([[{ events: String(readable + 1), rows: String(readable) }]]);
  });

  it('are read to the end from the file that was there, while the next one takes its place', async () => {
    const [log] = fc.sample(logs, { numRuns: 1, seed: 1 });
    const events = log ?? [];
    const where = newDirectory();
    await refresh(where, events.slice(0, 1));
    await withDatabase(join(where, WAREHOUSE_FILE), { spillTo: where, isReadOnly: true, threads: 1 })(
      async (database) => {
        const count = () => textOfQuery(database, 'SELECT count(*) FROM events');
        expect(await count()).to.equal('1');
        await refresh(where, events);
        expect(await count()).to.equal('1');
      },
    );
    expect(await answers(where, ['SELECT count(*) AS n FROM events'])).to.deep.equal([[{ n: String(events.length) }]]);
  });

  it('say in a comment what each of their columns holds', async () => {
    const [without] = await ofLog(
      [],
      [
        `SELECT table_name, column_name FROM duckdb_columns() WHERE schema_name = 'main' AND comment IS NULL
         AND table_name IN ('events', ${derivedTables.map(({ name }) => `'${name}'`).join(', ')})`,
      ],
    );
    expect(without).to.deep.equal([]);
  });
});
