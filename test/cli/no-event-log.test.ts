import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { runCli } from '../support/cli.ts';
import { configured } from '../support/process.ts';

/** Every command that uses an event log that must be there. */
const commands: readonly (readonly string[])[] = [
  ['check'],
  ['backup', '--to', 'copy.db'],
  ['token', '--user', 'ann'],
  ['projections', 'list'],
  ['projections', 'rebuild', '--all'],
  ['projections', 'rebuild', '--all', '--dry-run'],
  ['projections', 'verify', '--all'],
  ['projections', 'rollback', 'specialties'],
  ['projections', 'cancel', '--all'],
  ['projections', 'retry', '--all'],
  ['projections', 'skip', '--all'],
  ['projections', 'pause', 'specialties'],
  ['projections', 'resume', 'specialties'],
  ['history', 'types'],
  ['history', 'audit'],
  ['history', 'search', '--type', 'CandidateHired'],
  ['history', 'show', 'posting', 'p1'],
  ['history', 'at', 'posting-candidates', 'p1'],
  ['history', 'diff', 'posting-candidates', 'p1', '--from', '1'],
  ['history', 'explain', 'posting-candidates', 'c1'],
  ['history', 'report'],
  ['history', 'sql', 'SELECT 1'],
  ['history', 'export', '--format', 'ndjson', '--out', 'exported'],
];

const states: readonly (readonly [string, RegExp, (directory: string) => Promise<void>])[] = [
  ['a directory that is not there', /data is empty, or not mounted/, (directory) => rm(directory, { recursive: true })],
  ['an empty directory', /data is empty, or not mounted/, () => Promise.resolve()],
  ['an empty file', /events\.db is empty/, (directory) => writeFile(join(directory, 'events.db'), '')],
  ['a directory in its place', /events\.db is no file/, (directory) => mkdir(join(directory, 'events.db')).then()],
  [
    'a file that was copied without its write-ahead log',
    /events\.db has no tables, as one that was copied without its -wal file/,
    (directory) => {
      const database = new Database(join(directory, 'events.db'));
      database.exec('CREATE TABLE other (id TEXT)');
      database.close();
      return Promise.resolve();
    },
  ],
];

describe('Where there is no event log', () => {
  let parent = '';
  let directory = '';
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hiring-none-'));
    directory = join(parent, 'data');
    await mkdir(directory);
  });
  afterEach(async () => {
    await chmod(directory, 0o700).catch(() => undefined);
    await rm(parent, { recursive: true, force: true });
  });
  const contents = async () => [await readdir(parent), await readdir(directory).catch(() => 'is not there')];

  for (const [what, said, make] of states)
    it(`as with ${what}, every command ends with 2 and one line, and makes nothing`, async () => {
      await make(directory);
      const before = await contents();
      for (const args of commands) {
        const { code, stdout, stderr } = await runCli(parent, args, { ...configured, DATA_DIR: directory });
        expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 2, stdout: '' });
        expect(stderr, args.join(' ')).to.match(/^hiring: There is no event log to read: [^\n]+\n$/);
        expect(stderr, args.join(' ')).to.match(said);
        expect(await contents(), args.join(' ')).to.deep.equal(before);
      }
    });
});

describe('In production, a command', () => {
  const production = { NODE_ENV: 'production' };
  const own = { ...production, CODE_SECRET: '9f86d081884c7d659a2feaa0c55ad015' };
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-production-'));
    const { code } = await runCli(directory, ['seed', '--candidates', '1']);
    expect(code).to.equal(0);
  });
  after(() => rm(directory, { recursive: true }));
  const run = (args: readonly string[], more: Readonly<Record<string, string>>) => runCli(directory, args, more);

  it('that reads the stores needs no credentials', async () => {
    for (const args of [
      ['check'],
      ['projections', 'list'],
      ['projections', 'pause', 'specialties'],
      ['history', 'audit'],
    ])
      expect((await run(args, production)).code, args.join(' ')).to.equal(0);
  });

  it('that shows the history needs the secret that masks are made with, and no other', async () => {
    expect((await run(['history', 'types'], own)).code).to.equal(0);
    const { code, stderr } = await run(['history', 'types'], production);
    expect([code, stderr]).to.deep.equal([
      2,
      'hiring: CODE_SECRET is not set; allowed: in production it must be given\n',
    ]);
  });

  it('that makes a token needs the secret of tokens, and no other', async () => {
    const secret = { ...production, JWT_SECRET: 'hK3v1p8sQ0y7w2z9b4n6m5x8c1d3f7g9j2l4' };
    expect((await run(['token', '--user', 'ann'], secret)).code).to.equal(0);
    const { code, stderr } = await run(['token', '--user', 'ann'], production);
    expect([code, stderr]).to.deep.equal([
      2,
      'hiring: JWT_SECRET or JWKS_URL is not set; allowed: in production it must be given\n',
    ]);
  });
});
