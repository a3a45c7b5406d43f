import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { pythonRuns } from '../support/python.ts';
import { readFile } from '../support/project.ts';
import { itWith, pythonWith } from '../support/tools.ts';
import { COMMAND, wordsOf } from './history-page.ts';
import { directoryForAll } from '../support/files.ts';

const page = readFile('docs/notebook.md');

interface NotebookExample {
  readonly question: string;
  readonly args: readonly string[];
  readonly prints: string;
}

/** A command ends with the line on which all quotes are closed. */
const exampleOf = (question: string, block: string): NotebookExample => {
  const lines = block.slice(COMMAND.length).split('\n');
  const ends = lines.findIndex(
    (_, index) =>
      (lines
        .slice(0, index + 1)
        .join('\n')
        .split('"').length -
        1) %
        2 ===
      0,
  );
  return {
    question,
    args: wordsOf(lines.slice(0, ends + 1).join('\n')),
    prints: lines.slice(ends + 1).join('\n'),
  };
};

const examples = [...page.matchAll(/^## (\d+\. .*?)$.*?^```text\n(\$ .*?)^```$/gms)].map(
  ([, question = '', block = '']) => exampleOf(question, block),
);

/** With nothing configured, as a reader of the page runs it. */
const demo = {};

describe('docs/notebook.md', () => {
  const directory = directoryForAll('hiring-notebook-');
  before(async () => {
    const [seed = ''] = /^node dist\/bin\/hiring\.js (seed .*)$/m.exec(page)?.slice(1) ?? [];
    expect((await runCli(directory(), seed.split(' '), demo)).code).to.equal(0);
  });

  it('has twenty questions', () => {
    expect(examples).to.have.length(20);
  });

  for (const { question, args, prints } of examples)
    it(`answers: ${question}`, async () => {
      const { code, stdout, stderr } = await runCli(
        directory(),
        args.map((arg) => (arg.endsWith('.html') ? join(directory(), arg) : arg)),
        demo,
      );
      expect([code, stdout === '' ? stderr : stdout]).to.deep.equal([0, prints]);
    });

  describe('in a Python notebook', () => {
    const cells = [...page.matchAll(/^```python\nimport (\w+)\n(.*?)^```$/gms)].map(
      ([, name = '', code = '']) => ({ name, code }),
    );
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
