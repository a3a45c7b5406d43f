import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { storeWith } from '../support/facts.ts';
import { configured } from '../support/process.ts';
import { historyExamples, historyWorld } from './history-page.ts';
import { openLogHere } from '../support/threads-here.ts';

const examples = historyExamples(['sql']);

/** The arguments of a command line whose only quoted argument is a statement. */
const argumentsIn = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, statement, word = '']) => statement ?? word);

describe('docs/history.md, SQL', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-sql-page-'));
    const log = await openLogHere(join(directory, 'events.db'));
    await storeWith(historyWorld, log);
    await log.close();
  });
  after(() => rm(directory, { recursive: true }));

  it('shows examples', () => {
    expect(examples).to.have.length.above(1);
  });

  for (const { command, prints } of examples)
    it(`shows what this prints: hiring ${command}`, async () => {
      const environment = { ...configured, XDG_CACHE_HOME: directory };
      const { code, stdout } = await runCli(directory, argumentsIn(command), environment);
      expect([code, stdout]).to.deep.equal([0, prints]);
    });
});
