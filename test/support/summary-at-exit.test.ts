import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const MOCHA = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));

describe('A run of tests', () => {
  it('ends with a summary, and fails, where a worker of mocha ends after a failure', () => {
    const directory = mkdtempSync(join(tmpdir(), 'hiring-mocha-'));
    try {
      const args = ['--no-config', '--parallel', '--jobs', '2', '--require', pathOf('./summary-at-exit.js')];
      const suites = [pathOf('./suites/ending.js'), pathOf('./suites/outliving.js')];
      const { status, stdout, stderr } = spawnSync(process.execPath, [MOCHA, ...args, ...suites], {
        encoding: 'utf8',
        env: { ...process.env, ENDED: join(directory, 'ended') },
      });
      expect(stdout, stderr).to.match(/1 passing[\s\S]*1 failing[\s\S]*The failure of a test/);
      expect(status).to.equal(1);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
