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

const V8_FLAGS = [
  // Most functions of a suite run only briefly: V8 optimizes one later.
  'interrupt-budget=1000000',
  // A larger young generation is collected less often.
  'min-semi-space-size=32',
  'max-semi-space-size=64',
  // A suite's garbage is collected in its own thread: the other cores run other suites.
  'single-threaded-gc',
  // The old generation is collected once it is large, and not whenever a suite waits.
  'initial-old-space-size=768',
  'no-memory-reducer',
];

/** Listed from the sources: `dist` keeps what was compiled from files that are no more. */
const suites = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('faults'))
  .map((path) => path.replace(/\.test\.ts$/, ''))
  .sort();

export default {
  'node-option': ['enable-source-maps', ...V8_FLAGS],
  spec: suites.map((path) => `dist/test/${path}.test.js`),
  parallel: true,
  jobs: 4,
  require: ['./dist/test/support/scaled-timeouts.js'],
  timeout: 60000,
  'forbid-only': true,
};
