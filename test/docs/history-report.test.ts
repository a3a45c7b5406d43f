import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { historyExamples, pageStage } from './history-page.ts';

describe('docs/history.md, pictures', () => {
  const directory = pageStage();

  it('shows what a report says when it is made', async () => {
    const [example, ...others] = historyExamples(['report']);
    expect(others).to.deep.equal([]);
    const args = (example?.command ?? '')
      .split(' ')
      .map((arg) => (arg === 'report.html' ? join(directory(), arg) : arg));
    const { code, stdout, stderr } = await runCli(directory(), args);
    expect([code, stdout]).to.deep.equal([0, '']);
    // A slow machine is told how far it is, before.
    expect(stderr.endsWith(example?.prints ?? '?'), stderr).to.equal(true);
  });
});
