import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { historyExamples, pageStage } from './history-page.ts';

const examples = historyExamples(['search', 'show', 'at', 'diff', 'explain']).map(({ command, prints }) => ({
  args: command.split(' '),
  prints,
}));

describe('docs/history.md, events and read models as they were', () => {
  const directory = pageStage();

  it('shows an example of each command', () => {
    expect(examples.map(({ args: [, name] }) => name)).to.deep.equal(['show', 'search', 'at', 'diff', 'explain']);
  });

  for (const { args, prints } of examples)
    it(`shows what this prints: hiring ${args.join(' ')}`, async () => {
      const { code, stdout } = await runCli(directory(), args);
      expect([code, stdout]).to.deep.equal([0, prints]);
    });
});
