import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { storeWith } from '../support/facts.ts';
import { historyExamples, historyWorld } from './history-page.ts';
import { openLogHere } from '../support/threads-here.ts';

const examples = historyExamples(['search', 'show', 'at', 'diff', 'explain']).map(({ command, prints }) => ({
  args: command.split(' '),
  prints,
}));

describe('docs/history.md, events and read models as they were', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-history-page-'));
    const log = await openLogHere(join(directory, 'events.db'));
    await storeWith(historyWorld, log);
    await log.close();
  });
  after(() => rm(directory, { recursive: true }));

  it('shows an example of each command', () => {
    expect(examples.map(({ args: [, name] }) => name)).to.deep.equal([
      'show',
      'search',
      'at',
      'diff',
      'explain',
    ]);
  });

  for (const { args, prints } of examples)
    it(`shows what this prints: hiring ${args.join(' ')}`, async () => {
      const { code, stdout } = await runCli(directory, args);
      expect([code, stdout]).to.deep.equal([0, prints]);
    });
});
