import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { lockDataDirectory } from '../../../src/cli/parts/data-directory.ts';
import { candidateDecider } from '../../../src/domain/candidate.ts';
import { officeDecider } from '../../../src/domain/office.ts';
import { postingDecider } from '../../../src/domain/posting.ts';
import { professionalDecider } from '../../../src/domain/professional.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { beginCli, runCli, terminalIn } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { bodies } from '../../support/examples.ts';
import { on, type Fact } from '../../support/facts.ts';
import { configured } from '../../support/process.ts';
import { newServerStores, withBothServers } from '../../support/servers.ts';
import { historyStage, type HistoryPlace } from './stage.ts';

const minute = (number: number) => `2026-03-02T09:0${number}:00.000Z`;
const ids = { candidateId: 'c1', postingId: 'p1', professionalId: 'ann' };
/** Greater than any that Linux gives. */
const NO_PID = 2 ** 22 + 1;
const SURNAME = 'Featherstonehaugh';

const recorded: readonly Fact[] = [
  on(officeDecider, 'bright')(
    { type: 'OfficeRecorded', data: { officeId: 'bright', ...bodies.office } },
    { at: minute(0) },
  ),
  on(professionalDecider, 'ann')(
    { type: 'ProfessionalRecorded', data: { professionalId: 'ann', ...bodies.professional, lastName: SURNAME } },
    { at: minute(1) },
  ),
  on(postingDecider, 'p1')(
    { type: 'PostingRecorded', data: { postingId: 'p1', ...bodies.posting, officeId: 'bright' } },
    { at: minute(2) },
  ),
  on(candidateDecider, 'c1')(
    { type: 'CandidateApplied', data: { ...ids, resumeId: 'r1' } },
    { at: minute(3), by: 'user-ann' },
  ),
];
const hired: readonly Fact[] = [
  on(candidateDecider, 'c1')({ type: 'CandidateHired', data: ids }, { at: minute(4), by: 'user-olivia' }),
];

/** A stage, and statements that are asked of a copy in its directory. */
const sqlStage = (place?: HistoryPlace) => {
  const stage = historyStage(place);
  const { directory, positions, history } = stage;
  const copy = () => join(directory(), 'copy');
  const sql = (statement: string, ...more: readonly string[]) => history('sql', statement, '--copy', copy(), ...more);
  const rowsOf = async (statement: string, ...more: readonly string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await sql(statement, '--output', 'json', ...more);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  };
  const lastPosition = async (): Promise<string> => (await positions()).at(-1) ?? '';
  return { ...stage, copy, sql, rowsOf, lastPosition };
};

/** Statements that leave the event log and the copy as they are, and have one of each. */
const readingSuite = (place?: HistoryPlace) => {
  const stage = sqlStage({ ...place, isShared: true });
  const { directory, given, copy, sql, rowsOf, lastPosition, history } = stage;
  before(() => given(recorded));

  it('answers from the events, and says what the answer was made from', async () => {
    const { code, stdout, stderr } = await sql('SELECT type, count(*) AS n FROM events GROUP BY type ORDER BY type');
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      [
        'type                  n',
        'CandidateApplied      1',
        'OfficeRecorded        1',
        'PostingRecorded       1',
        'ProfessionalRecorded  1',
        '',
      ].join('\n'),
    );
    const [, position] =
      /^hiring: at position (\S+), by version \d+\.\d+\.\d+, personal data masked$/m.exec(stderr) ?? [];
    expect(position).to.equal(await lastPosition());
  });

  it('has a view of each type of events, with the types of its members', async () => {
    expect(
      await rowsOf('SELECT postingId, resumeId, recorded_at, actor FROM CandidateApplied WHERE revision = 0'),
    ).to.deep.equal([{ postingId: 'p1', resumeId: 'r1', recorded_at: '2026-03-02 09:03:00+00', actor: 'user-ann' }]);
    expect(
      await rowsOf("SELECT column_type FROM (DESCRIBE ProfessionalRecorded) WHERE column_name = 'yearsOfExperience'"),
    ).to.deep.equal([{ column_type: 'BIGINT' }]);
  });

  it('answers as history at does', async () => {
    const { stdout } = await history('at', 'admin-posting-candidates', 'p1', '--json');
    const { rows } = JSON.parse(stdout) as { rows: Record<string, unknown>[] };
    const [row] = (await rowsOf('FROM admin_posting_candidates')) as Record<string, unknown>[];
    for (const member of ['id', 'professionalName', 'professionalEmail', 'officeStatus', 'isShortlisted'])
      expect(row?.[member], member).to.equal(rows[0]?.[member]);
  });

  it('holds masks in the place of personal data, also in the copy', async () => {
    const [person] = (await rowsOf('FROM ProfessionalRecorded')) as Record<string, unknown>[];
    expect(person?.['lastName']).to.match(/^masked-/);
    const { stdout } = await sql('FROM professional_profiles');
    expect(stdout).to.include('masked-').and.not.include(SURNAME);
    for (const name of await readdir(copy(), { recursive: true })) {
      const path = join(copy(), name);
      if ((await stat(path)).isFile()) expect((await readFile(path)).includes(SURNAME), name).to.equal(false);
    }
    expect((await stat(copy())).mode & 0o777).to.equal(0o700);
  });

  it('lists the members that are withheld, which are null and of their own types', async () => {
    expect(await rowsOf("FROM withheld WHERE \"view\" IN ('CommuteMeasured', 'saved_postings')")).to.deep.equal([
      { view: 'CommuteMeasured', member: 'from' },
      { view: 'CommuteMeasured', member: 'roadDistance' },
      { view: 'CommuteMeasured', member: 'eta' },
      { view: 'saved_postings', member: 'commute.drive.distance' },
      { view: 'saved_postings', member: 'commute.drive.eta' },
      { view: 'saved_postings', member: 'commute.drive.roadDistance' },
    ]);
    expect(await rowsOf('SELECT latitude, typeof(latitude) AS type FROM ProfessionalRecorded')).to.deep.equal([
      { latitude: null, type: 'DOUBLE' },
    ]);
  });

  it('writes Parquet, which DuckDB reads back', async () => {
    const out = join(directory(), 'events.parquet');
    expect((await sql('FROM events', '--output', 'parquet')).stderr).to.include('needs --out');
    expect((await sql('FROM events', '--output', 'parquet', '--out', out)).code).to.equal(0);
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create()).connect();
    const counted = await connection.runAndReadAll(`SELECT count(*), max(position) FROM '${out}'`);
    expect(counted.getRows()).to.deep.equal([[4n, await lastPosition()]]);
    connection.closeSync();
    expect((await sql('FROM events', '--output', 'csv', '--out', out)).stderr).to.include('is there already');
  });
  return stage;
};

const suite = (place?: HistoryPlace) => {
  const stage = sqlStage(place);
  const { copy, given, replaceLog, sql, rowsOf, lastPosition, history } = stage;
  beforeEach(() => given(recorded));

  it('has a view of each read model, now and at any moment', async () => {
    const before = await lastPosition();
    await given(hired);
    const statuses = (table: string) => rowsOf(`SELECT postingId, hiringStatus FROM ${table}`);
    expect(await statuses('posting_candidates')).to.deep.equal([{ postingId: 'p1', hiringStatus: 'hired' }]);
    for (const moment of ["'2026-03-02T10:03:30+01:00'", `'${before}'`])
      expect(await statuses(`posting_candidates_at(${moment})`)).to.deep.equal([
        { postingId: 'p1', hiringStatus: 'open' },
      ]);
    expect(await statuses("posting_candidates_at('2026-03-02')")).to.deep.equal([]);
    expect(
      await rowsOf(`SELECT a.hiringStatus AS before, b.hiringStatus AS now
        FROM posting_candidates_at('${before}') AS a JOIN posting_candidates AS b USING (id)`),
    ).to.deep.equal([{ before: 'open', now: 'hired' }]);
  });

  it('shows personal data for a reason, which is recorded, and deletes that copy', async () => {
    expect((await sql('FROM events', '--personal-data')).stderr).to.include('needs a --reason');
    const { stdout, stderr } = await sql(
      'SELECT lastName FROM ProfessionalRecorded',
      '--personal-data',
      '--reason',
      'a wrong name',
    );
    expect(stdout).to.include(SURNAME);
    expect(stderr).to.include('with personal data');
    expect(existsSync(join(copy(), 'personal'))).to.equal(false);
    const audit = await history('audit');
    expect(audit.stdout).to.match(/personal-data +completed.*history sql.*a wrong name/);
  });

  it('brings the copy up to date, and at a position gives the same bytes again', async () => {
    const statement = 'SELECT stream, type, data FROM events ORDER BY position';
    const position = await lastPosition();
    const before = await sql(statement, '--output', 'csv');
    await given(hired);
    const after = await sql(statement, '--output', 'csv');
    expect(after.stdout).to.equal(
      `${before.stdout}candidate-c1,CandidateHired,"{""candidateId"":""c1"",""postingId"":""p1"",""professionalId"":""ann""}"\r\n`,
    );
    const again = await sql(statement, '--output', 'csv', '--at-position', position);
    expect(again.stdout).to.equal(before.stdout);
    const statuses = 'SELECT hiringStatus FROM posting_candidates';
    expect(await rowsOf(statuses, '--at-position', position)).to.deep.equal([{ hiringStatus: 'open' }]);
    expect((await sql(statement, '--at-position', '99')).stderr).to.equal(
      `hiring: No event stands at the position 99; the last one is at ${await lastPosition()}\n`,
    );
  });

  it('makes the copy of another event log anew', async () => {
    await sql('FROM events');
    await replaceLog();
    await given([...recorded.slice(0, 2), ...recorded.slice(3), ...hired]);
    const { stdout, stderr } = await sql('SELECT count(*) AS n FROM events', '--output', 'csv');
    expect([stdout, stderr.split('\n')[0]]).to.deep.equal([
      'n\r\n4\r\n',
      'hiring: the warehouse is of another event log or code, has other masks or is damaged: made anew',
    ]);
  });

  it('makes the copy of earlier code anew, whose state had other columns', async () => {
    await sql('FROM events');
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create(join(copy(), 'warehouse.duckdb'));
    const connection = await instance.connect();
    await connection.run("ALTER TABLE internal.state DROP COLUMN id; UPDATE internal.state SET made_with = 'earlier'");
    connection.closeSync();
    instance.closeSync();
    expect(await rowsOf('SELECT count(*) AS n FROM events')).to.deep.equal([{ n: 4 }]);
  });

  for (const damaged of ['warehouse.duckdb', 'next/warehouse.duckdb'])
    for (const content of ['', 'no database'])
      it(`makes the copy anew where ${damaged} is ${content || 'empty'}, as after a failure of the disk`, async () => {
        await sql('FROM events');
        await given(hired);
        await mkdir(join(copy(), 'next'), { recursive: true });
        await writeFile(join(copy(), damaged), content);
        const { code, stdout, stderr } = await sql('SELECT count(*) AS n FROM events', '--output', 'csv');
        expect([code, stdout], stderr).to.deep.equal([0, 'n\r\n5\r\n']);
        expect(stderr).to.include('or is damaged: made anew');
      });

  it('makes rows of read models in a file of their own, and anew where that is damaged', async () => {
    const before = await sql('FROM events');
    const { ino } = await stat(join(copy(), 'warehouse.duckdb'));
    const counted = () => rowsOf('SELECT count(*) AS n FROM posting_candidates');
    expect(await counted(), before.stderr).to.deep.equal([{ n: 1 }]);
    for (const content of ['', 'no database']) {
      await writeFile(join(copy(), 'scratch.duckdb'), content);
      expect(await counted()).to.deep.equal([{ n: 1 }]);
    }
    expect((await stat(join(copy(), 'warehouse.duckdb'))).ino).to.equal(ino);
  });

  it('says in one line that the copy cannot be written', async () => {
    await mkdir(copy());
    await writeFile(join(copy(), 'next'), '');
    const { code, stderr } = await sql('FROM events');
    expect(code).to.equal(2);
    expect(stderr.trim().split('\n'), stderr).to.have.length(1);
  });

  it('deletes the copy that an earlier version made', async () => {
    await mkdir(join(copy(), 'spill'), { recursive: true });
    await writeFile(join(copy(), 'copy.duckdb'), '');
    expect((await sql('FROM events')).code).to.equal(0);
    expect(await readdir(copy())).to.have.members(['warehouse.duckdb', 'scratch.duckdb', 'owner.lock', 'owner.pid']);
  });

  return stage;
};

describe('hiring history sql, which only reads,', () => {
  const { directory, copy, sql, rowsOf } = readingSuite();

  /** Runs statements of standard input. */
  const sqlOf = (input: string, ...more: readonly string[]) =>
    runCli(directory(), ['history', 'sql', '--copy', copy(), ...more], configured, input);

  it('takes the number of an event for its position', async () => {
    for (const moment of ["'3'", '3']) expect(await rowsOf(`FROM posting_candidates_at(${moment})`)).to.deep.equal([]);
    expect(await rowsOf('SELECT type FROM events', '--at-position', '4')).to.have.length(4);
  });

  it('takes no blank text for a reason', async () => {
    expect((await sql('FROM events', '--personal-data', '--reason', '  ')).stderr).to.include('needs a --reason');
  });

  it('reads statements from standard input', async () => {
    const input = 'SELECT 1 AS one;\nSELECT count(*)\n  AS n FROM events;\n';
    const { code, stdout } = await runCli(
      directory(),
      ['history', 'sql', '--copy', copy(), '--output', 'csv'],
      configured,
      input,
    );
    expect([code, stdout]).to.deep.equal([0, 'one\r\n1\r\nn\r\n4\r\n']);
  });

  it('puts an empty line between the tables of several statements', async () => {
    const { stdout } = await sqlOf('SELECT 1 AS one;\nSELECT 2 AS two;\n');
    expect(stdout).to.equal('one\n  1\n\ntwo\n  2\n');
    expect((await sqlOf('SELECT 1 AS one;\nSELECT none;\n')).stdout).to.equal('one\n  1\n');
  });

  it('answers many statements without a warning of a leak', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => void warnings.push(warning);
    process.on('warning', hear);
    const { code } = await sqlOf('SELECT 1;\n'.repeat(12), '--output', 'csv');
    process.off('warning', hear);
    expect([code, warnings]).to.deep.equal([0, []]);
  });

  it('has commands at the prompt, also amid a statement', async () => {
    const { code, stdout, stderr } = await sqlOf(
      ['SELECT 1', '.tables', '.schema CandidateHired', '.help', 'AS one;', 'SELECT 2', '.exit', ''].join('\n'),
      ...['--output', 'csv'],
    );
    expect(code, stderr).to.equal(0);
    const lines = stdout.split('\r\n');
    expect(lines).to.include.members(['CandidateHired', 'posting_candidates', 'withheld', 'one']);
    expect(lines.filter((line) => line.startsWith('candidateId,VARCHAR'))).to.have.length(1);
    expect(lines).not.to.include('2');
    expect(stderr).to.include('.schema [table]');
    const all = await sqlOf('.schema\n', '--output', 'csv');
    expect(all.stdout).to.include('CandidateHired,candidateId,VARCHAR\r\n');
    expect((await sqlOf('.nonsense\n')).stderr).to.equal(
      'hiring: There is no command .nonsense; .help tells those that there are\n',
    );
  });

  it('gives null in JSON for what is no number there', async () => {
    expect(
      await rowsOf(
        "SELECT 'nan'::DOUBLE AS a, '-inf'::FLOAT AS b, ['inf'::DOUBLE] AS c, {x: 'nan'::DOUBLE, y: 'NaN \\\"Infinity'} AS d",
      ),
    ).to.deep.equal([{ a: null, b: null, c: [null], d: { x: null, y: 'NaN \\"Infinity' } }]);
  });

  it('keeps a text from running as a formula in a spreadsheet', async () => {
    const { stdout } = await sql(`SELECT '=1+1' AS a, -1 AS b, NULL AS c, '' AS d, 'x"y' AS e`, '--output', 'csv');
    expect(stdout).to.equal('a,b,c,d,e\r\n\'=1+1,-1,,"","x""y"\r\n');
  });

  it('shows the first rows of a very long answer, and stops one that takes too long', async () => {
    const { terminal, stdout } = terminalIn(directory());
    const screen = Object.assign(terminal.stdout, { isTTY: true, columns: 100 });
    const long = ['history', 'sql', "SELECT *, repeat('x', 61) FROM range(10_000_000_000)", '--copy', copy()];
    expect(await runProgram(long, { ...terminal, stdout: screen })).to.equal(0);
    expect(stdout()).to.match(/x… *\nonly the first 1000 rows; --output csv, json or parquet has all\n$/);
    const slow = await sql(
      'SELECT sum(a.range * b.range) FROM range(10_000_000) a, range(10_000_000) b',
      '--timeout',
      '1',
    );
    expect([slow.code, slow.stdout, slow.stderr.trim()]).to.deep.equal([
      2,
      '',
      'hiring: The statement ran longer than 1 s, and was stopped; --timeout allows more',
    ]);
  });

  it('gives programs all rows of a table, and all of a cell', async () => {
    const { stdout } = await sql("SELECT range AS n, repeat('x', 99) AS x FROM range(5_000) ORDER BY n");
    const lines = stdout.trimEnd().split('\n');
    expect(lines).to.have.length(5_001);
    expect(lines[1]).to.equal(`   0  ${'x'.repeat(99)}`);
    expect(lines.at(-1)).to.equal(`4999  ${'x'.repeat(99)}`);
    expect((await sql('SELECT 1 AS n WHERE false')).stdout).to.equal('n\n');
  });

  it('refuses to read a file that it may write', async () => {
    await writeFile(join(directory(), 'secret.csv'), 'a\n1\n');
    const out = join(directory(), 'out.parquet');
    const { code } = await sql(`FROM '${join(directory(), 'secret.csv')}'`, '--output', 'parquet', '--out', out);
    expect([code, existsSync(out)]).to.deep.equal([2, false]);
  });
});

describe('hiring history sql', () => {
  const { directory, copy, given, sql, rowsOf } = suite();

  it('deletes a copy with personal data that a killed command has left, and none that is to stay', async () => {
    const unmasked = ['--personal-data', '--reason', 'a wrong name'];
    const personal = join(copy(), 'personal');
    await sql('FROM events', ...unmasked, '--keep');
    expect((await sql('FROM events')).code).to.equal(0);
    expect(existsSync(personal)).to.equal(true);
    // As if the command had been killed before it marked the copy
    await rm(join(personal, 'kept'));
    mkdirSync(join(personal, `spill-${NO_PID}`));
    expect((await sql('FROM events')).code).to.equal(0);
    expect(existsSync(personal)).to.equal(false);
  });

  it('keeps a copy with personal data that is to stay, whoever else asks for one', async () => {
    const unmasked = ['--personal-data', '--reason', 'a wrong name'];
    await sql('FROM events', ...unmasked, '--keep');
    expect((await sql('SELEC 1', ...unmasked)).code).to.equal(2);
    expect(existsSync(join(copy(), 'personal', 'warehouse.duckdb'))).to.equal(true);
  });

  it('ends in one line while it waits for a copy, which stays the other process’s', async () => {
    const personal = join(copy(), 'personal');
    mkdirSync(personal, { recursive: true });
    const release = lockDataDirectory(personal, []);
    const args = ['history', 'sql', 'SELECT 1', '--copy', copy(), '--personal-data', '--reason', 'why'];
    const waiting = beginCli(directory(), args, configured);
    await eventually('it waits', () => waiting.stderr().includes('which is waited for'));
    expect(await waiting.interrupt()).to.equal(2);
    expect(waiting.stderr().trim().split('\n').at(-1)).to.equal('hiring: Ended by SIGINT');
    expect(existsSync(join(personal, 'owner.lock'))).to.equal(true);
    release();
  });

  it('makes all moments that a statement names, however many, and whichever are there', async () => {
    await given(hired);
    const at = (moment: number) => `(SELECT count(*) FROM posting_candidates_at('${moment}'))`;
    for (const moment of [1, 2, 3, 4]) await rowsOf(`SELECT ${at(moment)} AS n`);
    expect(await rowsOf(`SELECT ${at(1)} AS first, ${at(5)} AS last`)).to.deep.equal([{ first: 0, last: 1 }]);
    const all = [1, 2, 3, 4, 5].map(at).join(' + ');
    expect(await rowsOf(`SELECT ${all} AS n, count(*) AS now FROM posting_candidates`)).to.deep.equal([
      { n: 2, now: 1 },
    ]);
  });

  it('takes a later time for the end, also where that is a position that was asked for', async () => {
    await given(hired);
    for (const more of [[], ['--at-position', '4']])
      expect(await rowsOf("SELECT hiringStatus FROM posting_candidates_at('2999-01-01')", ...more)).to.deep.equal([
        { hiringStatus: more.length === 0 ? 'hired' : 'open' },
      ]);
  });

  it('takes of each stream what was recorded by a time, whatever the clocks of instances', async () => {
    // Given applications that an instance whose clock is behind recorded after the hire, the second one later
    await given(hired);
    const applied = (candidateId: string, at: string) =>
      on(candidateDecider, candidateId)(
        { type: 'CandidateApplied', data: { ...ids, candidateId, professionalId: candidateId, resumeId: 'r' } },
        { at },
      );
    await given([applied('c2', minute(3)), applied('c3', minute(5))]);

    // Then the rows are those of the events recorded by then, and the same once more is recorded
    const at = `SELECT candidateId, hiringStatus FROM (SELECT id AS candidateId, * FROM posting_candidates_at('${minute(3)}')) ORDER BY 1`;
    const byThen = [
      { candidateId: 'c1', hiringStatus: 'open' },
      { candidateId: 'c2', hiringStatus: 'open' },
    ];
    expect(await rowsOf(at)).to.deep.equal(byThen);
    const recordedBy = `recorded_at <= '${minute(3)}'`;
    expect(
      await rowsOf(`SELECT candidateId, 'open' AS hiringStatus FROM CandidateApplied WHERE ${recordedBy} ORDER BY 1`),
    ).to.deep.equal(byThen);
    await given([applied('c4', minute(6))]);
    expect(await rowsOf(at)).to.deep.equal(byThen);
    expect(await rowsOf(at, '--at-position', '5')).to.deep.equal(byThen.slice(0, 1));
  });

  it('takes times of a stream that go back, as in logs of earlier versions, for the latest so far', async () => {
    await given(hired);
    const back = { type: 'CandidateShortlistChanged', data: { ...ids, isShortlisted: true } } as const;
    await given([on(candidateDecider, 'c1')(back, { at: minute(3) })]);
    const at = `posting_candidates_at('${minute(3)}')`;
    expect(await rowsOf(`SELECT hiringStatus, isShortlisted FROM ${at}`)).to.deep.equal([
      { hiringStatus: 'open', isShortlisted: false },
    ]);
    expect(
      await rowsOf(`SELECT count(*) AS n FROM CandidateShortlistChanged WHERE recorded_at = '${minute(4)}'`),
    ).to.deep.equal([{ n: 1 }]);
  });

  it('waits for another process that uses the copy', async () => {
    const release = lockDataDirectory(copy(), []);
    const args = ['history', 'sql', 'SELECT 1 AS one', '--copy', copy(), '--output', 'csv'];
    const { stdout, stderr, ended } = beginCli(directory(), args);
    await eventually('it waits', () => stderr().includes('which is waited for'));
    release();
    expect(await ended).to.equal(0);
    expect(stdout()).to.equal('one\r\n1\r\n');
    expect(stderr()).to.match(
      /^hiring: The warehouse in \S+ is in use by the process with pid \d+, which is waited for$/m,
    );
  });

  it('says that a condition is on masks', async () => {
    const told = 'hiring: lastName is masked or withheld here: a condition on its value means nothing\n';
    for (const [condition, says] of [
      [`"lastName" = '${SURNAME}'`, told],
      ["person.lastname IN ('Lee')", told],
      ["lower(lastName) LIKE 'lee%'", told],
      ["lastName = 'masked-2cb485725234fc68'", ''],
      ["profession = 'hygienist'", ''],
    ] as const) {
      const { stderr } = await sql(`FROM ProfessionalRecorded AS person WHERE ${condition}`);
      expect(stderr.replace(/^hiring: at position .*\n/m, ''), condition).to.equal(says);
    }
    const unmasked = ['--personal-data', '--reason', 'a wrong name'];
    const shown = await sql(`SELECT 1 FROM ProfessionalRecorded WHERE lastName = '${SURNAME}'`, ...unmasked);
    expect(shown.stderr).not.to.include('means nothing');
  });
});

describe('hiring history sql, refusing a statement,', () => {
  const { given, history } = historyStage({ isShared: true });
  before(() => given(recorded));

  for (const [statement, prints] of [
    [
      'SELECT type,\n  postingid FROM events',
      /^hiring: Binder Error: Referenced column "postingid" not found in FROM clause! .*\n {2}LINE 2: {3}postingid FROM events\n {12}\^\n$/,
    ],
    [
      'SELECT 1 +\n\t2 AND FROM events',
      /^hiring: The statement is not understood: .* at or near "FROM"\n {2}LINE 2: 2 AND FROM events\n {16}\^\n$/,
    ],
    [
      "SELECT '\u202e', CAST('x' AS INT)",
      /^hiring: Conversion Error: .*\n {2}LINE 1: SELECT '', CAST\('x' AS INT\)\n {21}\^\n$/,
    ],
  ] as const)
    it(`shows where: ${statement}`, async () => {
      const { code, stdout, stderr } = await history('sql', statement);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.match(prints);
    });
});

describe('hiring history sql, which changes nothing by what it refuses,', () => {
  const { given, history } = historyStage({ isShared: true });
  before(() => given(recorded));

  for (const [statement, says] of [
    ["ATTACH '/tmp/other.db'", 'does more than read'],
    ["COPY events TO '/tmp/events.csv'", 'does more than read'],
    ['INSTALL httpfs', 'does more than read'],
    ['PRAGMA database_list', 'does more than read'],
    ["SET memory_limit = '100GB'", 'does more than read'],
    ['DELETE FROM copied.events', 'does more than read'],
    ['CREATE TEMP TABLE t AS FROM events', 'does more than read'],
    ["SELECT 1; COPY events TO '/tmp/events.csv'", 'does more than read'],
    ['SELECT 1; SELECT 2', 'more than one statement'],
    ['PIVOT events ON type USING count(*)', 'A PIVOT without its values makes a type first'],
    ['FROM (PIVOT events ON type USING count(*))', 'A PIVOT without its values makes a type first'],
    ["FROM events WHERE type = 'A' AND data->>'postingId' = 'p1'", "in parentheses: (data->>'postingId')"],
    ["FROM events WHERE 'p1' = data->>'postingId'", "in parentheses: (data->>'postingId')"],
    ['', 'more than one statement, or none'],
    ['SELEC 1', 'is not understood'],
    // DuckDB's messages about these cut a character.
    ['😀'.repeat(100), 'is not understood: DuckDB says nothing readable'],
    ['😀'.repeat(10_000), 'is not understood: DuckDB says nothing readable'],
    ["SELECT 1) TO '/tmp/events.csv' --", 'is not understood'],
    ["FROM read_csv('/etc/passwd')", 'file system operations are disabled'],
    ["FROM read_text('/etc/passwd')", 'file system operations are disabled'],
    ["FROM '/etc/passwd.csv'", 'file system operations are disabled'],
    ["FROM glob('/etc/*')", 'file system operations are disabled'],
    ["FROM query('COPY events TO ''/tmp/events.csv''')", 'query hides which tables are read'],
    ["FROM query_table('events')", 'query_table hides which tables are read'],
    ['LOAD httpfs', 'does more than read'],
    ['SET enable_external_access = true', 'does more than read'],
    ["SELECT set_config('enable_external_access', 'true', false)", 'set_config does not exist'],
    ["FROM read_csv('http://127.0.0.1:1/')", 'file system operations are disabled'],
    ["FROM 'https://example.com/data.parquet'", 'file system operations are disabled'],
    ["FROM sniff_csv('/etc/passwd')", 'file system operations are disabled'],
    ["SELECT getenv('HOME')", 'getenv does not exist'],
    ["FROM duckdb_secrets() WHERE error('nothing is secret here')", 'file system operations are disabled'],
    ['FROM nothing', 'Table with name nothing does not exist'],
    ["FROM posting_candidates_at('yesterday')", 'must be an RFC 3339 date-time'],
    ["FROM posting_candidates_at('2026-03-02T09:00:00')", 'must be an RFC 3339 date-time'],
    ["FROM posting_candidates_at('99')", 'No event stands at the position 99'],
    ["FROM posting_candidates_at('00000000000000000004')", 'No event stands at the position 0000'],
    ["FROM posting_candidates_at(lower('4'))", 'takes one text'],
  ] as const)
    it(`refuses ${statement.slice(0, 120) || 'nothing'}`, async () => {
      const { code, stdout, stderr } = await history('sql', statement);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(
        stderr
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith(' ')),
      ).to.have.length(1);
      expect(stderr).to.include(says);
    });
});

withBothServers('hiring history sql on servers', () => {
  describe('hiring history sql', () => {
    readingSuite({ newServers: newServerStores });
  });
  describe('hiring history sql, where events are added,', () => {
    suite({ newServers: newServerStores });
  });
});
