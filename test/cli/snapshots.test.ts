import { chmodSync, cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { directoryForAll } from '../support/files.ts';
import { runCliAs } from '../support/cli.ts';
import { configured, killLeftProcesses, sendTo, serveProcess } from '../support/process.ts';
import { untilReady } from '../support/service.ts';
import { describeWith, NOBODY, otherUsers } from '../support/tools.ts';

/** A copy of a data directory, such as of a snapshot of its disk, which the reader may not write. */
describeWith([otherUsers], 'A snapshot that may not be written', function () {
  this.timeout(120_000);
  const place = directoryForAll('hiring-snapshots-');
  const data = () => join(place(), 'data');
  const own = () => join(place(), 'own');

  let candidate = '';

  const protect = (directory: string): void => {
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o444);
    chmodSync(directory, 0o555);
  };
  before(async () => {
    chmodSync(place(), 0o755);
    for (const directory of [own(), data()]) await mkdir(directory);
    chmodSync(own(), 0o777);
    const service = await serveProcess(data());
    await untilReady(service.url);
    for (const [path, body] of [
      [`offices/${ids.office}`, bodies.office],
      [`professionals/${ids.professional}`, bodies.professional],
      [`postings/${ids.posting}`, bodies.posting],
    ] as const)
      expect((await sendTo(service, 'PUT', `/internal/${path}`, { body })).status).to.equal(204);
    const application = { as: 'professional', body: bodies.application } as const;
    const applied = await sendTo(service, 'POST', `/postings/${ids.posting}/candidates`, application);
    candidate = (applied.body as { readonly id: string }).id;
    cpSync(data(), join(place(), 'with -shm'), { recursive: true });
    expect(await service.end('SIGTERM')).to.equal(0);
    cpSync(data(), join(place(), 'stopped'), { recursive: true });
    cpSync(join(place(), 'with -shm'), join(place(), 'with -wal?#%'), { recursive: true });
    for (const name of readdirSync(join(place(), 'with -wal?#%')))
      if (name.endsWith('-shm') || name.endsWith('-journal')) rmSync(join(place(), 'with -wal?#%', name));
    for (const name of ['with -shm', 'stopped', 'with -wal?#%']) protect(join(place(), name));
  });
  after(killLeftProcesses);

  const run = (snapshot: string, ...args: readonly (string | (() => string))[]) => {
    const given = args.map((arg) => (typeof arg === 'string' ? arg : arg()));
    const directory = join(place(), snapshot);
    const more = { ...configured, DATA_DIR: directory, XDG_CACHE_HOME: own(), HOME: own() };
    return runCliAs(NOBODY, own(), given, more);
  };

  for (const snapshot of ['stopped', 'with -wal?#%', 'with -shm'])
    describe(snapshot, () => {
      it('is sound, and left as it is', async () => {
        const directory = join(place(), snapshot);
        const before = readdirSync(directory);
        expect(before.some((name) => name.endsWith('-wal'))).to.equal(snapshot !== 'stopped');
        const { code, stdout, stderr } = await run(snapshot, 'check');
        expect(code, stdout + stderr).to.equal(0);
        expect(stdout).to.match(/^5 events of 5 streams .*: sound; --deep/);
        expect(readdirSync(directory)).to.deep.equal(before);
      });

      for (const [args, answer] of [
        [['projections', 'list'], /^posting-candidates@\S+ +live +0000/m],
        [['history', 'types'], /^PostingRecorded .* readable$/m],
        [['history', 'show', 'posting', ids.posting], /PostingRecorded/],
        [['history', 'sql', 'SELECT count(*) AS events FROM events', '--output', 'csv'], /^events\r\n5\r\n$/],
      ] as const)
        it(`is read by ${args.slice(0, 2).join(' ')}`, async () => {
          const { code, stdout, stderr } = await run(snapshot, ...args);
          expect(code, stderr).to.equal(0);
          expect(stdout).to.match(answer);
        });
    });

  for (const args of [
    ['history', 'at', 'posting-candidates', ids.posting],
    ['history', 'diff', 'posting-candidates', ids.posting, '--from', '0000000000000001'],
    ['history', 'explain', 'posting-candidates', () => candidate],
    ['history', 'search', '--where', `data.postingId=${ids.posting}`],
    ['history', 'audit'],
    ['history', 'report', '--out', () => join(own(), 'report.html')],
    ['history', 'export', '--format', 'ndjson', '--out', () => join(own(), 'export')],
    ['projections', 'rebuild', '--all', '--dry-run'],
  ])
    it(`is read by ${args.slice(0, 2).map(String).join(' ')}`, async () => {
      const { code, stderr } = await run('stopped', ...args);
      expect(stderr).not.to.match(/ {4}at |SQLITE|EACCES|cannot be (?:read|opened)/);
      expect(code, stderr).to.equal(0);
    });

  for (const args of [
    ['serve'],
    ['seed'],
    ['backup', '--to', () => join(own(), 'backup.db')],
    ['token', '--user', 'u1'],
    ['projections', 'rebuild', '--all'],
    ['projections', 'pause', 'specialties'],
    ['history', 'at', 'posting-candidates', ids.posting, '--personal-data', '--reason', 'a question'],
  ])
    it(`is refused in one line by ${args.slice(0, 2).map(String).join(' ')}`, async () => {
      const { code, stdout, stderr } = await run('stopped', ...args);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.match(/^hiring: .*\n$/);
      expect(existsSync(join(own(), 'backup.db'))).to.equal(false);
    });
});
