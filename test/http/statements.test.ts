import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { readActs } from '../../src/audit/acts.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { WAREHOUSE_FILES } from '../../src/history/warehouse/runnable-statement.ts';
import { eventually } from '../support/eventually.ts';
import { apiKeys, bodies, claims } from '../support/examples.ts';
import { startService, tokenFor, type Service } from '../support/service.ts';
import { apply, putFacts } from './stories.ts';

interface Asked {
  readonly accept?: string;
  /** Left out: the analyst of the examples. */
  readonly user?: string;
  readonly signal?: AbortSignal;
  readonly timeZone?: string;
  readonly upTo?: string;
}

/** Goes on for longer than any limit: a hundred billion rows. */
const ENDLESS = 'SELECT sum(a.range * b.range) FROM range(100000) a, range(1000000) b';

/** The processes that this one has started of a module. */
const processesOf = (module: string): readonly number[] =>
  spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .flatMap((line) => {
      const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return Number(parent) === process.pid && args.includes(module) ? [Number(pid)] : [];
    });

const answering = () => processesOf('answer.process');
const untilAnswering = (count: number): Promise<number> =>
  eventually(`${count} processes answer`, () => answering().length === count);

describe('Statements of SQL over HTTP', () => {
  let service: Service;
  /** Acts that were recorded before a test. */
  let earlier = 0;
  before(async () => {
    service = await startService();
    await putFacts(service);
    await apply(service);
  });
  beforeEach(async () => {
    earlier = 0;
    earlier = (await acts()).length;
  });
  after(() => service.stop());

  const ask = async (statement: string, { accept, user, signal, ...more }: Asked = {}): Promise<Response> =>
    fetch(`${service.url}/history/statements`, {
      method: 'POST',
      headers: {
        'X-API-Key': apiKeys.client,
        Authorization: `Bearer ${await tokenFor({ ...claims.analyst, sub: user ?? claims.analyst.sub })}`,
        'Content-Type': 'application/json',
        ...(accept === undefined ? {} : { Accept: accept }),
      },
      body: JSON.stringify({ statement, ...more }),
      signal: signal ?? null,
    });
  const refusalOf = async (asked: Promise<Response>) => {
    const response = await asked;
    const { error } = (await response.json()) as { readonly error: string };
    return { status: response.status, error, retryAfter: response.headers.get('Retry-After') };
  };
  /** Of statements, since the test began. */
  const acts = async () =>
    (await readActs(service.app.eventStore, { now: systemClock() }))
      .filter(({ operation }) => operation === 'statement')
      .slice(earlier);

  it('are answered with lines, CSV or Parquet, as the client accepts', async () => {
    const statement = "SELECT type, 0.5 AS half, NULL AS nothing FROM events WHERE type = 'OfficeRecorded'";
    const lines = await ask(statement);
    expect([lines.status, lines.headers.get('Content-Type')]).to.deep.equal([200, 'application/x-ndjson']);
    expect(await lines.text()).to.equal('{"type":"OfficeRecorded","half":0.5,"nothing":null}\n\n');
    const csv = await ask(statement, { accept: 'text/csv' });
    expect(csv.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8');
    expect(await csv.text()).to.equal('type,half,nothing\r\nOfficeRecorded,0.5,\r\n');
    const parquet = await ask(statement, { accept: 'application/vnd.apache.parquet' });
    expect(await parquet.text()).to.match(/^PAR1[\s\S]*OfficeRecorded[\s\S]*PAR1$/);
  });

  it('have the same answer again, up to the position that it names', async () => {
    const statement = 'SELECT count(*) AS events, (SELECT count(*) FROM posting_candidates) AS rows FROM events';
    const first = await ask(statement);
    const text = await first.text();
    expect(text).to.include('"rows":1}');
    const upTo = first.headers.get('History-Position') ?? '';
    expect(await (await ask(statement)).text()).to.not.equal(text);
    expect(await (await ask(statement, { upTo })).text()).to.equal(text);
  });

  it('show times of the place that is asked for', async () => {
    const statement = "SELECT CAST(TIMESTAMPTZ '2026-03-01T05:00:00Z' AS VARCHAR) AS time";
    expect(await (await ask(statement, { timeZone: 'America/Denver' })).text()).to.include('2026-02-28 22:00:00-07');
    expect(await refusalOf(ask(statement, { timeZone: 'Mars/Olympus' }))).to.include({
      status: 400,
      error: 'body/timeZone must be a time zone, like America/Denver or UTC',
    });
  });

  it('are refused with the line, and a caret below the place', async () => {
    expect(await refusalOf(ask('SELECT type\nFROM evnts'))).to.include({
      status: 400,
      error:
        'Catalog Error: Table with name evnts does not exist! Did you mean "events"?\nLINE 2: FROM evnts\n             ^',
    });
    expect((await refusalOf(ask('SELEC 1'))).error).to.include('LINE 1: SELEC 1\n        ^');
  });

  it('see personal data masked alone', async () => {
    const { firstName, lastName, email, phone } = bodies.professional;
    const tables = ['professionals', '"ProfessionalRecorded"', 'posting_candidates', 'events', 'users'];
    const rows = tables.map((table) => `SELECT to_json(each) AS row FROM ${table} AS each`);
    const text = await (await ask(rows.join(' UNION ALL '))).text();
    for (const personal of [firstName, lastName, email, phone]) expect(text).to.not.include(personal);
    expect(text).to.match(/"email":"masked-/);
  });

  it('say where they compare what is masked with a value', async () => {
    const where = async (condition: string) =>
      (await ask(`SELECT 1 FROM "ProfessionalRecorded" WHERE ${condition}`)).headers.get('History-Masked-Conditions');
    expect(await where("lastName = 'Lee' AND firstName LIKE 'A%'")).to.equal('lastName, firstName');
    expect(await where("professionalId = 'ann'")).to.equal(null);
  });

  // All that is refused so is in the tests of hiring history sql, which answers by the same code.
  for (const attack of [
    "COPY events TO '/tmp/events.csv'",
    "SELECT * FROM read_text('/proc/self/environ')",
    "SELECT * FROM query('FROM events')",
  ])
    it(`cannot do more than read the warehouse: ${attack}`, async () => {
      const { status, error } = await refusalOf(ask(attack));
      expect(status).to.equal(400);
      expect(error).to.not.match(/root:|secret of the tests/);
    });

  it('have the warehouse brought up to date by one process, and by another where that is killed', async () => {
    const refreshing = () => processesOf('refresh.process');
    await ask('SELECT 1');
    const [first = 0, ...others] = refreshing();
    expect(others).to.deep.equal([]);
    expect((await ask('SELECT 2')).status).to.equal(200);
    expect(refreshing()).to.deep.equal([first]);
    process.kill(first, 'SIGKILL');
    await eventually('it has ended', () => refreshing().length === 0);
    expect((await ask('SELECT 3')).status).to.equal(200);
    expect(refreshing()).to.have.lengthOf(1).and.not.include(first);
  });

  it('run in a process with an empty environment and a low priority', async () => {
    const leaving = new AbortController();
    const asked = ask(ENDLESS, { signal: leaving.signal }).catch(() => undefined);
    await untilAnswering(1);
    const [pid = 0] = answering();
    await eventually('its priority is low', () => getPriority(pid) >= getPriority() + 5);
    if (existsSync(`/proc/${pid}/environ`))
      for (const variable of readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'))
        expect(variable).to.match(/^(?:$|NODE_CHANNEL_)/);
    leaving.abort();
    await asked;
  });

  it('have at most 100,000 rows, and are refused with more, whatever the form', async () => {
    const all = await (await ask('FROM range(100000)', { accept: 'text/csv' })).text();
    expect(all.trim().split('\r\n')).to.have.lengthOf(100_001);
    for (const accept of ['application/x-ndjson', 'text/csv', 'application/vnd.apache.parquet'])
      expect(await refusalOf(ask('FROM range(100001)', { accept })), accept).to.include({
        status: 400,
        error: 'The answer has more than 100000 rows; a LIMIT, a WHERE or a GROUP BY asks for less',
      });
  });

  it('have at most 100 MB', async () => {
    const statement = "SELECT repeat('x', 2000) AS text FROM range(60000)";
    expect((await refusalOf(ask(statement))).error).to.include('more than 100 MB');
  });

  it('have at most 20,000 characters', async () => {
    expect(await refusalOf(ask(`SELECT ${'1'.repeat(19_994)}`))).to.include({ status: 400 });
  });

  it('are stopped where they need more memory', async () => {
    expect(await refusalOf(ask('SELECT list(range) FROM range(1000000000)'))).to.include({
      status: 400,
      error: 'The statement needs more than 512 MB of memory, or 1 GB of disk, and was stopped',
    });
  });

  it('end once their client has gone, and leave nothing', async () => {
    const leaving = new AbortController();
    const asked = ask(ENDLESS, { signal: leaving.signal }).catch(() => undefined);
    await eventually('it is recorded', async () => (await acts()).length === 1);
    leaving.abort();
    await asked;
    await untilAnswering(0);
    await eventually('its end is recorded', async () => (await acts())[0]?.phase === 'failed');
    // A refresh that was ended with it may have left a file that is not whole, with which the next one goes on.
    expect((await ask('SELECT 1')).status).to.equal(200);
    const { eventStore } = service.stores;
    if (eventStore.kind === 'sqlite')
      expect(WAREHOUSE_FILES).to.include.members(readdirSync(join(dirname(eventStore.path), 'warehouse')));
  });

  it('are a 503 where their process is killed, and the next one is answered', async () => {
    const asked = refusalOf(ask(ENDLESS));
    await eventually('it is recorded', async () => (await acts()).length === 1);
    for (const pid of answering()) process.kill(pid, 'SIGKILL');
    expect(await asked).to.deep.equal({ status: 503, error: 'What this needs cannot be read now', retryAfter: '2' });
    expect((await ask('SELECT 1')).status).to.equal(200);
  });

  it('are one for each user and two in all', async () => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const held = ['ann', 'ben'].map((user) => ask(ENDLESS, { user, signal }).catch(() => undefined));
    await untilAnswering(2);
    const refused = await Promise.all(['ann', 'cleo'].map((user) => refusalOf(ask('SELECT 1', { user }))));
    expect(refused).to.deep.equal([
      { status: 429, error: '1 question of the warehouse of yours is being answered already', retryAfter: '1' },
      { status: 429, error: '2 questions of the warehouse are being answered already', retryAfter: '1' },
    ]);
    leaving.abort();
    await Promise.all(held);
  });

  it('are recorded by their hash and the tables that they name, and not by their text', async () => {
    const statement = "SELECT 'Ann' FROM offices, posting_candidates_at('2026-01-01'), (FROM events LIMIT 1)";
    expect((await ask(statement)).status).to.equal(200);
    await refusalOf(ask('SELEC 1'));
    expect((await refusalOf(ask("SELECT nowhere, 'Ann' FROM offices"))).error).to.include('Ann');
    const found = await acts();
    expect(found).to.have.lengthOf(2);
    expect(found[1]).to.include({ phase: 'failed' });
    expect(JSON.stringify(found)).to.not.include('Ann');
    expect(found[0]).to.deep.include({
      actor: claims.analyst.sub,
      phase: 'completed',
      parameters: {
        sha256: createHash('sha256').update(statement).digest('hex'),
        tables: ['events', 'offices', 'posting_candidates_at'],
      },
    });
  });

  const answerOf = (path: string) => service.send('GET', path, { as: 'analyst' });

  it('measures are answered with their meaning and their SQL, as the catalogue lists them', async () => {
    const { body } = await answerOf('/history/measures/applications?by=office&from=2026-01-01');
    expect(body).to.deep.include({
      name: 'applications',
      meaning: 'How many applications were made.',
      unit: 'count',
      by: 'office',
      cohort: null,
    });
    expect(body).to.have.nested.property('rows[0].applications', 1);
    const { body: catalogue } = await answerOf('/history/measures');
    expect(catalogue).to.have.property('measures').that.is.an('array').with.length.above(10);
    for (const [path, status] of [
      ['hopes', 404],
      ['hired?by=moon', 400],
      ['hired?from=2026-03-01&to=2026-02-01', 400],
      ['hired?from=yesterday', 400],
      ['hired?timeZone=Mars', 400],
    ] as const)
      expect((await answerOf(`/history/measures/${path}`)).status, path).to.equal(status);
  });
});

describe('The warehouse of a service', () => {
  const ask = (service: Service, path: string) => service.send('GET', path, { as: 'analyst' });

  it('stops a statement that takes too long, and counts each as fifty requests', async () => {
    const service = await startService({
      warehouse: { seconds: 2, firstWaitMs: 60_000 },
      rateLimit: { perSecond: 0.001, burst: 60 },
    });
    try {
      const send = () => service.send('POST', '/history/statements', { as: 'analyst', body: { statement: ENDLESS } });
      const { status, headers, body } = await send();
      expect([status, headers.get('RateLimit-Remaining'), body]).to.deep.equal([
        400,
        '10',
        { error: 'The statement ran longer than 2 s, and was stopped' },
      ]);
      await untilAnswering(0);
      expect((await send()).status).to.equal(429);
    } finally {
      await service.stop();
    }
  });

  it('is a 503 that says how far it is, until the first one is whole', async () => {
    const service = await startService({ warehouse: { firstWaitMs: 0 } });
    try {
      await putFacts(service);
      const path = '/history/measures/applications';
      const { status, headers, body } = await ask(service, path);
      expect([status, headers.get('Retry-After'), body]).to.deep.equal([
        503,
        '5',
        { error: 'The warehouse is being brought up to date: 0 events are copied' },
      ]);
      await eventually('it is whole', async () => (await ask(service, path)).status === 200);
    } finally {
      await service.stop();
    }
  });

  it('is not begun before it is asked for, and is gone on with after a restart', async () => {
    const service = await startService();
    try {
      await putFacts(service);
      const { eventStore } = service.stores;
      const directory = join(dirname(eventStore.kind === 'sqlite' ? eventStore.path : '/none'), 'warehouse');
      expect(existsSync(directory)).to.equal(false);
      const answerOf = async () => (await ask(service, '/history/measures/postings')).body;
      const first = await answerOf();
      await service.restart();
      expect(await answerOf()).to.deep.equal(first);
    } finally {
      await service.stop();
    }
  });
});
