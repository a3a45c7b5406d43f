import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { storeWith } from '../support/facts.ts';
import { historyExamples, historyWorld } from './history-page.ts';
import { openLogHere } from '../support/threads-here.ts';

const examples = historyExamples(['export']);

describe('docs/history.md, export', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-export-page-'));
    const log = await openLogHere(join(directory, 'events.db'));
    await storeWith(historyWorld, log);
    await log.close();
  });
  after(() => rm(directory, { recursive: true }));

  it('shows examples', () => {
    expect(examples).to.have.length.above(0);
  });

  for (const [number, { command, prints }] of examples.entries())
    it(`shows what this prints: hiring ${command}`, async () => {
      const out = join(directory, `export-${number}`);
      // The last word names the directory.
      const { code, stderr } = await runCli(directory, [...command.split(' ').slice(0, -1), out]);
      expect([code, stderr.replaceAll(out, 'export')]).to.deep.equal([0, prints]);
    });
});
