import { join } from 'node:path';
import { expect } from 'chai';
import { runProgram } from '../../../src/cli/program.ts';
import type { ProcessPriority } from '../../../src/lib/process-priority.ts';
import { terminalIn } from '../../support/cli.ts';
import { directoryForAll } from '../../support/files.ts';

/** In the directory of the test. */
const OUT = 'out';

describe('The priority of a command of the history', () => {
  const directory = directoryForAll('hiring-priority-');

  const personal = ['--personal-data', '--reason', 'A question'];
  const cases: readonly (readonly [ProcessPriority, readonly string[]])[] = [
    ['low', ['show', 'posting', 'p1']],
    ['low', ['at', 'posting-candidates', 'p1']],
    ['idle', ['export', '--format', 'csv', '--out', OUT]],
    ['idle', ['replay', 'mine.ts']],
    // Each may read all of the event log in one transaction, during which SQLite's write-ahead log grows.
    ['low', ['sql', 'SELECT 1']],
    ['low', ['report', '--out', OUT]],
    // It locks the event log while it records who asks, and why.
    ['low', ['export', '--format', 'csv', '--out', OUT, ...personal]],
    // A service records it.
    ['idle', ['export', '--format', 'csv', '--out', OUT, '--from', 'http://127.0.0.1:1', ...personal]],
  ];
  for (const [priority, args] of cases)
    it(`is ${priority} for ${args.join(' ')}`, async () => {
      const given: ProcessPriority[] = [];
      const { terminal } = terminalIn(directory());
      // There is no event log, so that the command ends soon.
      const named = args.map((arg) => (arg === OUT ? join(directory(), OUT) : arg));
      expect(await runProgram(['history', ...named], { ...terminal, giveWay: (to) => given.push(to) })).to.equal(2);
      expect(given).to.deep.equal([priority]);
    });
});
