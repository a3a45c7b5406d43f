import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { eventually } from '../support/eventually.ts';
import { claims, ids, bodies } from '../support/examples.ts';
import {
  configured,
  killLeftProcesses,
  processKeys,
  serveProcess,
  type Running,
} from '../support/process.ts';
import { tokenFor, untilReady } from '../support/service.ts';
import { expectEachOnce, startWriters, type Writers } from '../support/writers.ts';

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

const POSTING = `/internal/postings/${ids.posting}`;

describe('A full disk', function () {
  this.timeout(60_000);
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

  const send = async (method: string, path: string, body?: unknown) => {
    const isInternal = path.startsWith('/internal');
    const as = path.startsWith('/admin') ? claims.admin : claims.professional;
    const response = await fetch(service.url + path, {
      method,
      headers: {
        'X-API-Key': isInternal ? processKeys.internal : processKeys.client,
        Authorization: `Bearer ${await tokenFor(as)}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return { status: response.status, retryAfter: response.headers.get('Retry-After') };
  };
  const READS = [
    '/professionals/candidates?category=active',
    '/postings/saved',
    '/admin/projections',
    '/health/live',
  ];
  const WRITES: readonly (readonly [string, string, unknown])[] = [
    ['PUT', `/internal/offices/${ids.office}`, bodies.office],
    ['PUT', POSTING, { ...bodies.posting, title: 'Another' }],
    ['POST', '/professionals/postings/save', { postingId: ids.posting }],
  ];
  const ADMIN: readonly (readonly [string, string, unknown])[] = [
    ['POST', '/admin/projections/saved-postings/rebuild', { confirm: 'saved-postings' }],
    ['POST', '/admin/projections/saved-postings/pause', { confirm: 'saved-postings' }],
    ['POST', '/admin/projections/saved-postings/resume', {}],
  ];
  const untilRefused = () =>
    eventually('a write is refused', async () => {
      fill();
      const { status } = await send('PUT', '/internal/offices/other', {
        ...bodies.office,
        officeName: String(Math.random()),
      });
      expect(status).to.be.oneOf([204, 503]);
      return status === 503;
    });

  it('is a 503 for writes, and none for reads; what was acknowledged is kept, and writes go on once there is room', async () => {
    // Given a service under writers, on a disk that fills up
    service = await serveProcess(directory, { ...configured });
    await untilReady(service.url);
    expect((await send('PUT', POSTING, bodies.posting)).status).to.equal(204);
    writers = await startWriters(
      4,
      () => service.url,
      (status) => status === 503,
    );
    await writers.more(100);
    fill();
    await untilRefused();

    // Then writes are refused, reads are not, and readiness says why
    for (let round = 0; round < 5; round++) {
      for (const path of READS) expect((await send('GET', path)).status, path).to.equal(200);
      for (const [method, path, body] of [...WRITES, ...ADMIN]) {
        const { status, retryAfter } = await send(method, path, body);
        expect(status, path).to.equal(503);
        expect(Number(retryAfter), path).to.be.greaterThan(0);
      }
    }
    const ready = await fetch(`${service.url}/health/ready`);
    expect(ready.status).to.equal(503);
    expect(await ready.text()).to.include('nothing can be stored: the log cannot be written');

    // When it is killed, and started again while the disk is full
    await service.end('SIGKILL');
    service = await serveProcess(directory, { ...configured });

    // When there is room
    free();
    await untilReady(service.url);
    await writers.more(100);

    // Then each acknowledged write is there once
    const done = await writers.end();
    expect(await service.end('SIGTERM')).to.equal(0);
    const store = await openEmbeddedEventStore(join(directory, 'events.db'));
    await expectEachOnce(store, done);
    await store.close();
  });
});
