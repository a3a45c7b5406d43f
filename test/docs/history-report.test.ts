import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { storeWith } from '../support/facts.ts';
import { historyExamples, historyWorld } from './history-page.ts';
import { openLogHere } from '../support/threads-here.ts';

describe('docs/history.md, pictures', () => {
  it('shows what a report says when it is made', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'hiring-history-page-'));
    try {
      const log = await openLogHere(join(directory, 'events.db'));
      await storeWith(historyWorld, log);
      await log.close();
      const [example, ...others] = historyExamples(['report']);
      expect(others).to.deep.equal([]);
      const args = (example?.command ?? '')
        .split(' ')
        .map((arg) => (arg === 'report.html' ? join(directory, arg) : arg));
      expect(await runCli(directory, args)).to.deep.equal({ code: 0, stdout: '', stderr: example?.prints });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
