import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLeftProcesses, runCli } from '../support/process.ts';

describe('A start that fails', function () {
  this.timeout(30_000);
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-broken-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  it('ends, and says why, when events.db is no database', async () => {
    const file = join(directory, 'events.db');
    await writeFile(file, 'this is no database, but a text that is long enough to look at');
    const { code, stderr } = await runCli(directory, ['serve']);
    expect(code).to.equal(1);
    expect(stderr).to.contain(`${file} cannot be opened: file is not a database`);
  });
});
