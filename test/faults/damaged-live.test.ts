import { expect } from 'chai';
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { exchange, killLeftProcesses, runProcess, serveProcess, type Running } from '../support/process.ts';
import { closeAfter, openWriter } from '../../src/sqlite/connections.ts';
import { claims } from '../support/examples.ts';
import { tokenFor, untilReady } from '../support/service.ts';

/** Enough that the file is neither checked as a whole at the start nor held in memory. */
const CANDIDATES = '4000';

describe('The file of a served build that is damaged while the service runs', () => {
  let directory: string;
  let service: Running;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-damaged-'));
    expect((await runProcess(directory, ['seed', '--candidates', CANDIDATES])).code).to.equal(0);
    service = await serveProcess(directory);
    await untilReady(service.url);
    const name = (await readdir(directory)).find((each) => /db\.posting-candidates@[\d.]+$/.test(each)) ?? '';
    file = join(directory, name);
    const { size } = statSync(file);
    expect(size).to.be.above(4_000_000);
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(size / 2, 0xa5), 0, size / 2, Math.floor(size / 4));
    closeSync(descriptor);
  });
  afterEach(async () => {
    killLeftProcesses();
    await service.ended;
    await rm(directory, { recursive: true });
  });

  it('is built anew by verify, which says so and ends with 1, though no event comes', async () => {
    const { code, stdout } = await runProcess(directory, ['projections', 'verify', 'posting-candidates']);
    expect(code).to.equal(1);
    expect(stdout).to.match(/stopped.*posting-candidates@\S+ was damaged: it was set aside and built anew/);
    expect([existsSync(`${file}.damaged`), existsSync(file)]).to.deep.equal([true, true]);
    await runProcess(directory, ['projections', 'cancel', 'posting-candidates']);
    const again = await runProcess(directory, ['projections', 'verify', 'posting-candidates']);
    expect([again.code, again.stdout]).to.deep.equal([0, again.stdout]);
  });

  it('gives way to a rebuild at once, which ends with 0', async () => {
    const { code, stdout } = await runProcess(directory, ['projections', 'rebuild', 'posting-candidates']);
    expect([code, stdout]).to.deep.equal([0, 'posting-candidates: rebuilt and served\n']);
    await eventually('the service is ready', async () => {
      const { status } = await fetch(`${service.url}/health/ready`);
      return status === 200;
    });
  });
});

describe('An event that is damaged while the service runs, and met by a thread of its', () => {
  let directory: string;
  let service: Running;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-damaged-'));
    expect((await runProcess(directory, ['seed', '--candidates', '40'])).code).to.equal(0);
    service = await serveProcess(directory);
    await untilReady(service.url);
    const spoil = "UPDATE events SET data = json_set(data, '$.more', 1) WHERE position = 100";
    closeAfter(openWriter(join(directory, 'events.db'), 'NORMAL'), (connection) => connection.exec(spoil));
  });
  afterEach(async () => {
    killLeftProcesses();
    await service.ended;
    await rm(directory, { recursive: true });
  });

  const expectTold = async () => {
    const ready = await exchange(service.url, { method: 'GET', path: '/health/ready' });
    expect(ready.body).to.deep.include({
      status: 'degraded',
      reason: 'the file of the log is damaged at position 0000000000000100',
    });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).to.match(/^event_log_damages 1$/m);
    const told = () => service.lines.filter((line) => line.includes('The event log is damaged')).length;
    await eventually('a line is written', () => told() > 0);
    expect(told()).to.equal(1);
  };

  it('stops a rebuild, which ends with 1, and is told by the service', async () => {
    const { code, stdout } = await runProcess(directory, ['projections', 'rebuild', 'posting-candidates']);
    expect([code, stdout]).to.deep.equal([
      1,
      'posting-candidates: stopped, what is served stays: ' +
        'the file of the log is damaged at position 0000000000000100: the stored event does not match its checksum\n',
    ]);
    await expectTold();
    const { stdout: list } = await runProcess(directory, ['projections', 'list']);
    expect(list).to.match(/posting-candidates@3.2 +stopped/);
  });

  it('fails a question about the history, and is told by the service', async () => {
    const bearer = await tokenFor(claims.analyst);
    const { status } = await exchange(service.url, { method: 'GET', path: '/history/types', bearer });
    expect(status).to.equal(503);
    await expectTold();
  });
});
