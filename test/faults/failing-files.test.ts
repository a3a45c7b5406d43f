import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { eventually } from '../support/eventually.ts';
import { configured, killLeftProcesses, runProcess, serveProcess, type Running } from '../support/process.ts';
import { untilReady } from '../support/service.ts';
import { command, describeWith } from '../support/tools.ts';
import { expectEachOnce, startWriters } from '../support/writers.ts';
import { failingFiles, type FailingFiles } from './failing-files.ts';
import { ask, expectReadsAlone, putAnother, putPosting } from './service-requests.ts';

/** The lines of an application log from warnings on. */
const complaintsIn = ({ lines }: Running): string[] =>
  lines.filter((line) => Number(/"level":(\d+)/.exec(line)?.[1]) >= 40);

describeWith([command('cc')], 'A data directory', () => {
  let directory: string;
  let files: FailingFiles;
  let service: Running;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'data-'));
    files = failingFiles(directory);
  });
  afterEach(() => {
    killLeftProcesses();
    files.remove();
    rmSync(directory, { recursive: true });
  });

  const serving = async (more: Readonly<Record<string, string>> = {}) => {
    service = await serveProcess(directory, { ...configured, ...files.environment, ...more });
    await untilReady(service.url);
    expect((await ask(service, ...putPosting)).status).to.equal(204);
  };

  it('that becomes read-only is a 503 for writes, none for reads, and a few lines; and passes by itself', async () => {
    // Given a service under writers, whose directory becomes read-only
    await serving();
    const writers = await startWriters(
      4,
      () => service.url,
      (status) => status === 503,
    );
    await writers.more(100);
    files.begin('writes');
    await eventually('a write is refused', async () => (await putAnother(service)).status === 503);

    // Then reads are answered, and the application log has a line for each reason and not for each request
    await expectReadsAlone(service);
    const complaints = complaintsIn(service);
    expect(complaints.filter((line) => line.includes('Nothing can be stored'))).to.have.length(1);
    expect(complaints.length, complaints.join('\n')).to.be.lessThan(15);

    // When it can be written again, then writes go on, and each acknowledged one is there once
    files.pass();
    await untilReady(service.url);
    await writers.more(100);
    const done = await writers.end();
    expect(await service.end('SIGTERM')).to.equal(0);
    const store = await openEmbeddedEventStore(join(directory, 'events.db'));
    await expectEachOnce(store, done);
    await store.close();
  });

  it('whose disk hangs is a 503 for writes until it goes on, and does not hold up a stop', async () => {
    // Given a service under writers, whose disk stores nothing and refuses nothing
    await serving({ STOP_SECONDS: '2' });
    const writers = await startWriters(
      4,
      () => service.url,
      (status) => status === 503,
    );
    await writers.more(100);
    files.begin('hang');
    const started = performance.now();

    // Then a write that waits is refused after 10 s, others at once, and reads are answered
    expect((await putAnother(service)).status).to.equal(503);
    expect(performance.now() - started).to.be.within(9_000, 20_000);
    await expectReadsAlone(service, 'the thread that writes the log does not answer');

    // When the disk goes on, then writes do, and each acknowledged one is there once
    files.pass();
    await untilReady(service.url);
    await writers.more(100);
    const done = await writers.end();

    // When it hangs again, then a stop ends in time, and says what it waited for
    files.begin('hang');
    void putAnother(service).catch(() => undefined);
    process.kill(service.pid, 'SIGTERM');
    expect(await service.ended).to.equal('SIGKILL');
    expect(service.lines.filter((line) => line.includes('The stop has not ended in time'))).to.have.length(1);
    files.pass();
    const store = await openEmbeddedEventStore(join(directory, 'events.db'));
    await expectEachOnce(store, done);
    await store.close();
  });

  it('whose files cannot be read is a 503 for what needs them, and passes by itself', async () => {
    // Given a service that has read nothing of the disk for these requests yet
    await serving();
    await service.end('SIGTERM');
    service = await serveProcess(directory, { ...configured, ...files.environment });
    await untilReady(service.url);
    files.begin('reads');

    // When requests need the disk
    const seen = new Set<number>();
    for (let round = 0; round < 20; round++)
      for (const answer of [
        await putAnother(service),
        await ask(service, 'GET', '/postings/saved'),
        await ask(service, 'GET', '/admin/audit'),
        await ask(service, 'GET', '/professionals/candidates?category=active'),
      ]) {
        seen.add(answer.status);
        expect(answer.status, complaintsIn(service).join('\n')).to.be.oneOf([200, 204, 503]);
      }

    // Then they are answered or are a 503, without a line for each, and all goes on afterwards
    expect([...seen]).to.include(503);
    const complaints = complaintsIn(service);
    expect(complaints.length, complaints.join('\n')).to.be.lessThan(20);
    files.pass();
    await untilReady(service.url);
    for (let round = 0; round < 5; round++) expect((await putAnother(service)).status).to.equal(204);
    await eventually('it is shown', async () => (await ask(service, 'GET', '/postings/saved')).status === 200);
    expect(await service.end('SIGTERM')).to.equal(0);
  });

  it('that has become read-only, or whose disk hangs, is found by the doctor, whom it does not hold up', async () => {
    await serving();
    const doctor = () => runProcess(directory, ['doctor'], { ...configured, ...files.environment });
    files.begin('writes');
    const { stdout: ofReadOnly } = await doctor();
    expect(ofReadOnly).to.match(/BAD {2}data directory +\S+ is read-only; mount says .* makes it writable\n/);
    files.begin('hang');
    const { code, stdout } = await doctor();
    expect(stdout).to.match(/BAD {2}data directory +\S+ has taken no file for 15 s, and .*; dmesg may say which disk/);
    expect(stdout).to.match(/service +process \d+, since \S+, /);
    expect(code).to.equal(1);
    files.pass();
    await eventually('nothing is left', () =>
      Promise.resolve(readdirSync(directory).every((name) => !name.startsWith('.doctor'))),
    );
  });

  it('that cannot be read at a start ends it with one line and exit code 2', async () => {
    await serving();
    await service.end('SIGTERM');
    files.begin('reads');
    const { code, stderr } = await runProcess(directory, ['serve'], { ...configured, ...files.environment });
    expect(stderr).to.match(/^hiring: .*\n$/);
    expect(code).to.equal(2);
  });

  it('that is read-only at a start ends it with one line and exit code 2', async function () {
    // Given what a service has left, on a file system that is mounted read-only
    await serving();
    await service.end('SIGTERM');
    const mounted = mkdtempSync(join(tmpdir(), 'mounted-'));
    try {
      execFileSync('mount', ['--bind', directory, mounted], { stdio: 'ignore' });
    } catch {
      rmSync(mounted, { recursive: true });
      this.skip();
    }
    try {
      execFileSync('mount', ['-o', 'remount,bind,ro', mounted]);

      // When it is started there, then it says so
      const { code, stderr } = await runProcess(mounted, ['serve']);
      expect(stderr).to.match(
        /^hiring: The data directory \S+ cannot be used: EROFS: read-only file system.*; allowed: one that .*\n$/,
      );
      expect(code).to.equal(2);
    } finally {
      execFileSync('umount', [mounted]);
      rmSync(mounted, { recursive: true });
    }
  });
});
