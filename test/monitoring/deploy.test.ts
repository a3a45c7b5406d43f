import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { directoryForEach } from '../support/files.ts';
import { command, itWith } from '../support/tools.ts';

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const read = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');

const passes = (directory: string, tool: string, ...args: readonly string[]): void => {
  const { status, stdout, stderr } = spawnSync(tool, args, { cwd: directory, encoding: 'utf8' });
  expect(status, stdout + stderr).to.equal(0);
};

describe('The alerting rules', () => {
  const directory = join(DEPLOY, 'prometheus');

  it('are each tried by a test', () => {
    const alerts = [...read('prometheus/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const tried = [...read('prometheus/alerts.test.yml').matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
    expect(new Set(tried)).to.deep.equal(new Set(alerts));
  });

  itWith([command('promtool')], 'are understood by Prometheus, and fire when they should', () => {
    passes(directory, 'promtool', 'check', 'rules', 'alerts.yml');
    passes(directory, 'promtool', 'test', 'rules', 'alerts.test.yml');
  });
});

/** Tenths of systemd's level of exposure, of which 100 is a unit without any bounds. */
const MAX_EXPOSURE = 15;

describe('The unit of systemd', () => {
  const directory = directoryForEach('hiring-unit-');

  itWith([command('systemd-analyze')], 'is understood, and bounds the service', () => {
    // Whose node is not there is not understood.
    const unit = read('systemd/hiring.service').replace('/usr/bin/node', process.execPath);
    writeFileSync(join(directory(), 'hiring.service'), unit);
    passes(directory(), 'systemd-analyze', 'verify', './hiring.service');
    const threshold = `--threshold=${MAX_EXPOSURE}`;
    passes(directory(), 'systemd-analyze', 'security', '--offline=true', threshold, './hiring.service');
  });
});
