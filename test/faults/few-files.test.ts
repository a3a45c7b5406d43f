import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHostile } from '../http/hostile-socket.ts';
import { eventually } from '../support/eventually.ts';
import { killLeftProcesses, serveProcess } from '../support/process.ts';
import { command, itWith } from '../support/tools.ts';

describe('A process that may open no more files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-connections-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  itWith([command('prlimit')], 'goes on, and takes connections again when it may', async () => {
    const service = await serveProcess(directory);
    const allow = (files: number) => execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${files}:20000`]);
    // Fewer than are open, so that libuv cannot reopen the spare file that it closes in this case.
    allow(10);
    for (let count = 1; count <= 50; count++)
      (await openHostile(service.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')).socket.destroy();
    allow(1_024);
    const statusOf = async (path: string) =>
      (await fetch(`${service.url}${path}`, { signal: AbortSignal.timeout(10_000) })).status;
    expect(await statusOf('/health/live')).to.equal(200);
    // A thread that could not open a file meanwhile tries again.
    await eventually('it is ready', async () => (await statusOf('/health/ready')) === 200);
    expect(await service.end('SIGTERM')).to.equal(0);
  });
});
