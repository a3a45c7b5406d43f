import { readdirSync, statfsSync } from 'node:fs';
import { env } from 'node:process';

/** Tests write into memory where there is room, since they sync much of what they write; they remove it as they end. */
const MEMORY = '/dev/shm';
const ROOM = 4e9;
const roomIn = (folder) => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
};
if (roomIn(MEMORY) >= ROOM) env.TMPDIR ??= MEMORY;

/** Listed from the sources: `dist` keeps what was compiled from files that are no more. */
const suites = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('faults'))
  .map((path) => path.replace(/\.test\.ts$/, ''))
  .sort();

export default {
  'node-option': ['enable-source-maps'],
  spec: suites.map((path) => `dist/test/${path}.test.js`),
  parallel: true,
  jobs: 4,
  require: ['scaled-timeouts', 'no-warnings', 'summary-at-exit'].map((name) => `./dist/test/support/${name}.js`),
  timeout: 60000,
  'forbid-only': true,
};
