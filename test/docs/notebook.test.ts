import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { pythonRuns } from '../support/python.ts';
import { readFile } from '../support/project.ts';
import { itWith, pythonWith } from '../support/tools.ts';
import { COMMAND, wordsOf } from './history-page.ts';
import { directoryForAll } from '../support/files.ts';

const page = readFile('docs/history.md');

interface NotebookExample {
  readonly question: string;
  readonly args: readonly string[];
  /** The answer, after the measure's meaning and SQL where the page shows these. */
  readonly prints: string;
}

const examples = [...page.matchAll(/^### (\d+\. .*?)$.*?^```text\n(\$ .*?)\n(.*?)^```$/gms)].map(
  ([, question = '', command = '', prints = '']): NotebookExample => ({
    question,
    args: wordsOf(command.slice(COMMAND.length)),
    prints,
  }),
);

/** With nothing configured, as a reader of the page runs it. */
const demo = {};

describe('docs/history.md, measures and notebooks', () => {
  const directory = directoryForAll('hiring-notebook-');
  before(async () => {
    const [seed = ''] = /^node dist\/bin\/hiring\.js (seed .*)$/m.exec(page)?.slice(1) ?? [];
    expect((await runCli(directory(), seed.split(' '), demo)).code).to.equal(0);
  });

  it('has twelve questions, each with a measure of its own', () => {
    expect(new Set(examples.map(({ args }) => args[2])).size).to.equal(12);
    expect(examples).to.have.length(12);
  });

  for (const { question, args, prints } of examples)
    it(`answers: ${question}`, async () => {
      const { code, stdout, stderr } = await runCli(directory(), args, demo);
      const meaning = prints.startsWith('hiring: ') ? stderr.replace(/^.*hiring: at position .*?\n/s, '') : '';
      expect([code, meaning + stdout]).to.deep.equal([0, prints]);
    });

  describe('in a Python notebook', () => {
    const cells = [...page.matchAll(/^```python\nimport (\w+)\n(.*?)^```$/gms)].map(([, name = '', code = '']) => ({
      name,
      code,
    }));
    before(async () => {
      for (const [, command = ''] of page.matchAll(/^node dist\/bin\/hiring\.js (history export .*)$/gm))
        expect(
          (
            await runCli(
              directory(),
              [...command.split(' ').slice(0, -1), join(directory(), command.split(' ').at(-1) ?? '')],
              demo,
            )
          ).code,
        ).to.equal(0);
    });

    it('has cells for DuckDB, pandas and pm4py', () => {
      expect(cells.map(({ name }) => name)).to.deep.equal(['duckdb', 'pandas', 'pm4py']);
    });

    for (const { name, code } of cells)
      itWith([pythonWith(name)], `runs the cell for ${name}`, () => {
        expect(pythonRuns(`import ${name}\n${code}`, directory())).to.match(/\S/);
      });
  });
});
