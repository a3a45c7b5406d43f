import { expect } from 'chai';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configured, killLeftProcesses, runCli, serveProcess } from '../support/process.ts';

describe('hiring doctor', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'doctor-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true, force: true });
  });

  it('finds all well in an empty directory, and makes nothing there', async () => {
    const { code, stdout, stderr } = await runCli(directory, ['doctor']);
    expect([code, stderr]).to.deep.equal([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 3))).to.deep.equal(lines.map(() => 'ok '));
    expect(stdout).to.match(/event log +\S+ holds 0 events\n/);
    expect(stdout).to.contain('there are none yet: the start builds them');
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('tells which process has the data directory, beside a running service', async () => {
    const service = await serveProcess(directory);
    const { code, stdout } = await runCli(directory, ['doctor']);
    expect(code).to.equal(0);
    expect(stdout).to.contain(`is in use by the process with pid ${service.pid}\n`);
    expect(stdout).to.match(/read models +all are of this version\n/);
    await service.end('SIGTERM');
  });

  it('tells what is wrong with the configuration, and looks at nothing else', async () => {
    const { code, stdout } = await runCli(directory, ['doctor'], { ...configured, PORT: 'http' });
    expect(code).to.equal(1);
    expect(stdout).to.match(/^BAD {2}configuration {2}PORT is "http", [^\n]+\n$/);
  });

  it('tells of servers that do not answer', async () => {
    const servers = {
      EVENT_STORE_URL: 'esdb://127.0.0.1:9?tls=false',
      READ_MODEL_URL: 'mongodb://127.0.0.1:9/hiring?serverSelectionTimeoutMS=500',
    };
    const { code, stdout } = await runCli(directory, ['doctor'], { ...configured, ...servers });
    expect(code).to.equal(1);
    expect(stdout).to.match(/BAD {2}event log +\S/);
    expect(stdout).to.match(/BAD {2}read models +\S/);
  });
});
