import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { historyExamples, pageStage } from './history-page.ts';

const examples = historyExamples(['export']);

describe('docs/history.md, export', () => {
  const directory = pageStage();

  it('shows examples', () => {
    expect(examples).to.have.length.above(0);
  });

  for (const [number, { command, prints }] of examples.entries())
    it(`shows what this prints: hiring ${command}`, async () => {
      const out = join(directory(), `export-${number}`);
      // The last word names the directory.
      const { code, stderr } = await runCli(directory(), [...command.split(' ').slice(0, -1), out]);
      // Where it takes long, it says how far it is before.
      const last = `${stderr.trimEnd().split('\n').at(-1) ?? ''}\n`;
      expect([code, last.replaceAll(out, 'export')]).to.deep.equal([0, prints]);
    });
});
