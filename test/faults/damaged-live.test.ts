import { expect } from 'chai';
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { killLeftProcesses, runProcess, serveProcess, type Running } from '../support/process.ts';
import { untilReady } from '../support/service.ts';

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
