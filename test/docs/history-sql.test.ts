import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { configured } from '../support/process.ts';
import { historyExamples, pageStage, wordsOf } from './history-page.ts';

const examples = historyExamples(['sql']);

describe('docs/history.md, SQL', () => {
  const directory = pageStage();

  it('shows examples', () => {
    expect(examples).to.have.length.above(1);
  });

  for (const { command, prints } of examples)
    it(`shows what this prints: hiring ${command}`, async () => {
      const environment = { ...configured, XDG_CACHE_HOME: directory() };
      const { code, stdout } = await runCli(directory(), wordsOf(command), environment);
      expect([code, stdout]).to.deep.equal([0, prints]);
    });
});
