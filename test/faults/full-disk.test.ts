import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { eventually } from '../support/eventually.ts';
import { configured, killLeftProcesses, serveProcess, type Running } from '../support/process.ts';
import { untilReady } from '../support/service.ts';
import { expectEachOnce, startWriters, type Writers } from '../support/writers.ts';
import { ask, expectReadsAlone, putAnother, putPosting } from './service-requests.ts';

const SIZE = '24m';

/** Mounts a small file system; false where this process may not. */
const mounted = (directory: string): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', directory], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe('A full disk', () => {
  let directory: string;
  let service: Running;
  let writers: Writers | undefined;
  const filling = () => join(directory, 'filling');

  before(function () {
    directory = mkdtempSync(join(tmpdir(), 'full-'));
    if (mounted(directory)) return;
    rmSync(directory, { recursive: true });
    console.log('      skipped: mounting a small file system takes root');
    this.skip();
  });
  after(() => {
    killLeftProcesses();
    execFileSync('umount', ['-l', directory]);
    rmSync(directory, { recursive: true });
  });

  /** Leaves no free block. */
  const fill = () => {
    const { bavail, bsize } = statfsSync(directory);
    try {
      appendFileSync(filling(), Buffer.alloc(bavail * bsize + bsize, 1));
    } catch {
      // It is full.
    }
  };
  const free = () => rmSync(filling(), { force: true });

  const untilRefused = () =>
    eventually('a write is refused', async () => {
      fill();
      const { status } = await putAnother(service);
      expect(status).to.be.oneOf([204, 503]);
      return status === 503;
    });

  it('is a 503 for writes, and none for reads; what was acknowledged is kept, and writes go on once there is room', async () => {
    // Given a service under writers, on a disk that fills up
    service = await serveProcess(directory, { ...configured });
    await untilReady(service.url);
    expect((await ask(service, ...putPosting)).status).to.equal(204);
    writers = await startWriters(
      4,
      () => service.url,
      (status) => status === 503,
    );
    await writers.more(100);
    fill();
    await untilRefused();

    // Then writes are refused, reads are not, and readiness says why
    await expectReadsAlone(service);

    // When it is killed, and started again while the disk is full
    await service.end('SIGKILL');
    service = await serveProcess(directory, { ...configured });

    // When there is room
    free();
    await untilReady(service.url);
    await writers.more(100);
    await eventually('nothing is said of damage', async () => {
      const ready = await fetch(`${service.url}/health/ready`);
      return (await ready.text()) === '{"status":"ready"}';
    });

    // Then each acknowledged write is there once
    const done = await writers.end();
    expect(await service.end('SIGTERM')).to.equal(0);
    const store = await openEmbeddedEventStore(join(directory, 'events.db'));
    await expectEachOnce(store, done);
    await store.close();
  });
});
