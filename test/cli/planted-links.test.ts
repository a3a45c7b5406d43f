import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SCRATCH_FILE } from '../../src/history/warehouse/materialized-rows.ts';
import { WAREHOUSE_FILE } from '../../src/history/warehouse/runnable-statement.ts';
import { officeDecider } from '../../src/domain/office.ts';
import { bodies } from '../support/examples.ts';
import { on } from '../support/facts.ts';
import { runCli, serveHere } from '../support/cli.ts';
import { untilReady } from '../support/service.ts';
import { command, describeWith } from '../support/tools.ts';
import { historyStage } from './history/stage.ts';

const SECRET = 'a file of the user that a stranger has planted links to';

/** Directories that others can write: what they plant there under the names of files to come. */
describe('Files that commands write', function () {
  this.timeout(60_000);
  let umask = 0;
  // Before the directory is removed.
  afterEach(async () => {
    process.umask(umask);
    expect(await readFile(at('victim'), 'utf8')).to.equal(SECRET);
  });
  const { directory, given, history } = historyStage();
  const run = (...args: readonly string[]) => runCli(directory(), args);
  const at = (name: string) => join(directory(), name);
  beforeEach(async () => {
    umask = process.umask(0);
    await given([
      on(officeDecider, 'bright')({ type: 'OfficeRecorded', data: { officeId: 'bright', ...bodies.office } }),
    ]);
    await writeFile(at('victim'), SECRET);
  });
  const plant = (...names: readonly string[]) => Promise.all(names.map((name) => symlink(at('victim'), at(name))));
  const modeOf = async (name: string) => {
    const found = await lstat(at(name));
    expect(found.isSymbolicLink(), name).to.equal(false);
    return found.mode & 0o777;
  };

  it('are the user’s alone once they are restored, whatever the backup’s mode', async () => {
    expect((await run('backup', '--to', at('backup.db'))).code).to.equal(0);
    await chmod(at('backup.db'), 0o666);
    const restored = await runCli(directory(), ['restore', '--from', at('backup.db')], { DATA_DIR: at('restored') });
    expect([restored.code, restored.stderr]).to.deep.equal([0, '']);
    expect((await lstat(at('restored'))).mode & 0o777).to.equal(0o700);
    expect(await modeOf('restored/events.db')).to.equal(0o600);
  });

  it('are no planted link in the place of what is restored', async () => {
    expect((await run('backup', '--to', at('backup.db'))).code).to.equal(0);
    await mkdir(at('restored'));
    await plant('restored/events.db.restoring', 'restored/owner.pid');
    const restored = await runCli(directory(), ['restore', '--from', at('backup.db')], { DATA_DIR: at('restored') });
    expect([restored.code, restored.stderr]).to.deep.equal([0, '']);
    expect(await modeOf('restored/events.db')).to.equal(0o600);
    expect(await modeOf('restored/owner.pid')).to.equal(0o600);
  });

  it('are no backup where there is something in its place, or in that of its manifest', async () => {
    await plant('linked.db', 'manifest-linked.db.json');
    await writeFile(at('other.db.json'), SECRET);
    for (const [backup, taken] of [
      ['linked.db', 'linked.db'],
      ['manifest-linked.db', 'manifest-linked.db.json'],
      ['other.db', 'other.db.json'],
    ] as const) {
      const refused = await run('backup', '--to', at(backup));
      expect(refused.code).to.equal(2);
      expect(refused.stderr)
        .to.match(/^hiring: .*, which is there already; allowed: .*\n$/)
        .and.include(at(taken));
    }
    expect(await readFile(at('other.db.json'), 'utf8')).to.equal(SECRET);
  });

  it('are no planted link in the place of an export', async () => {
    await mkdir(at('export'));
    await plant('export/manifest.json.unfinished', 'export/owner.pid');
    const { code, stderr } = await history('export', '--format', 'ndjson', '--out', at('export'));
    expect(code, stderr).to.equal(0);
    for (const name of (await readdir(at('export'))).filter((each) => !each.startsWith('owner.lock')))
      expect(await modeOf(`export/${name}`), name).to.equal(0o600);
  });

  for (const [name, args] of [
    ['answer.csv', ['sql', 'SELECT 1', '--output', 'csv']],
    ['answer.parquet', ['sql', 'SELECT 1', '--output', 'parquet']],
    ['report.html', ['report']],
  ] as const)
    it(`are no planted link in the place of ${name}`, async () => {
      await plant(`${name}.unfinished-${process.pid}`);
      const { code, stderr } = await history(...args, '--out', at(name));
      expect(code, stderr).to.equal(0);
      expect(await modeOf(name)).to.equal(0o600);
    });

  for (const [name, args] of [
    ['owner.lock', ['export', '--format', 'ndjson', '--out']],
    [WAREHOUSE_FILE, ['sql', 'SELECT 1', '--copy']],
    [`${WAREHOUSE_FILE}.wal`, ['sql', 'SELECT 1', '--copy']],
    [`next/${WAREHOUSE_FILE}.wal`, ['sql', 'SELECT 1', '--copy']],
    [SCRATCH_FILE, ['sql', 'SELECT 1', '--copy']],
    [`spill-${process.pid}`, ['sql', 'SELECT 1', '--copy']],
    ['personal', ['sql', 'SELECT 1', '--personal-data', '--reason', 'a question', '--copy']],
  ] as const)
    it(`are none where a library would follow a planted link: ${name}`, async () => {
      await mkdir(dirname(at(`shared/${name}`)), { recursive: true });
      await plant(`shared/${name}`);
      const { code, stderr } = await history(...args, at('shared'));
      expect(code).to.equal(2);
      expect(stderr).to.match(/ is a link; allowed: /);
    });

  it('are no event log behind a planted link', async () => {
    await mkdir(at('shared'));
    await plant('shared/events.db');
    const { code, stderr } = await runCli(directory(), ['seed'], { DATA_DIR: at('shared') });
    expect(code).to.equal(2);
    expect(stderr).to.match(/events\.db is a link; allowed: /);
  });

  it('are no template in the place of a link, wherever it leads', async () => {
    await symlink(at('nowhere'), at('mine.ts'));
    const { code, stderr } = await history('replay', '--new', at('mine.ts'));
    expect([code, stderr]).to.deep.equal([
      2,
      `hiring: ${at('mine.ts')} is there already; allowed for --new: a new file\n`,
    ]);
  });

  const exported = (type = 'OfficeRecorded') =>
    history('export', '--format', 'ndjson', '--type', type, '--out', at('export'));
  const another = () =>
    given([on(officeDecider, 'other')({ type: 'OfficeRecorded', data: { officeId: 'other', ...bodies.office } })]);

  it('are no link in the place of a file that an export goes on with', async () => {
    expect((await exported()).code).to.equal(0);
    await rename(at('export/events.ndjson'), at('moved.ndjson'));
    await symlink(at('moved.ndjson'), at('export/events.ndjson'));
    await another();
    const { code, stderr } = await exported();
    expect(code).to.equal(2);
    expect(stderr).to.match(/^hiring: .*events\.ndjson is a link; allowed: .*\n$/);
  });

  describeWith([command('mkfifo')], 'a pipe that nobody writes into', () => {
    const pipeAt = async (name: string) => {
      await rm(at(name), { force: true });
      execFileSync('mkfifo', [at(name)]);
    };

    for (const name of ['events.ndjson', 'manifest.json'])
      it(`is refused as ${name} of an export`, async () => {
        // An empty file, as the size of a pipe is 0 too.
        expect((await exported('PostingRecorded')).code).to.equal(0);
        await pipeAt(`export/${name}`);
        await another();
        const { code, stderr } = await exported('PostingRecorded');
        expect(code).to.equal(2);
        expect(stderr)
          .to.match(/^hiring: .* is no file; allowed: .*\n$/)
          .and.include(name);
      });

    it('is refused as the lock of a directory', async () => {
      await pipeAt('owner.lock');
      const { code, stderr } = await run('seed');
      expect(code).to.equal(2);
      expect(stderr).to.match(/^hiring: .*owner\.lock is no file; allowed: .*\n$/);
    });

    it('is refused as the event log', async () => {
      await pipeAt('events.db');
      const { code, stderr } = await run('serve');
      expect(code).to.equal(2);
      expect(stderr).to.match(/^hiring: .*events\.db is damaged, .*: it is no file; .*\n$/);
    });

    it('is refused as the build registry, and set aside by a service', async () => {
      await pipeAt('projections.db');
      const { code, stderr } = await run('projections', 'list');
      expect(code).to.equal(2);
      expect(stderr).to.match(/^hiring: .*projections\.db is damaged: it is no file; .*\n$/);
      const service = await serveHere(directory());
      await untilReady(service.url);
      expect(await service.end()).to.equal(0);
      expect((await lstat(at('projections.db.damaged'))).isFIFO()).to.equal(true);
    });

    it('is not waited for as the file with the pid', async () => {
      await pipeAt('owner.pid');
      expect((await run('doctor')).code).to.equal(0);
    });
  });
});
