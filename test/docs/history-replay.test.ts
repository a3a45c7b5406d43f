import { readFile as read } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { replayWorld } from '../history/replay/world.ts';
import { runCli } from '../support/cli.ts';
import { readFile, root } from '../support/project.ts';
import { historyExamples, pageStage } from './history-page.ts';

const examples = historyExamples(['replay']);

/** The arguments of a command line that is run in the project's directory. */
const argumentsIn = (command: string): string[] =>
  command.split(' ').map((word) => (word.startsWith('docs/') ? join(root, word) : word));

describe('docs/history.md, replay', () => {
  const directory = pageStage(replayWorld);

  it('shows examples', () => {
    expect(examples).to.have.length.above(1);
  });

  for (const { command, prints } of examples)
    it(`shows what this prints: hiring ${command}`, async () => {
      const { code, stdout } = await runCli(directory(), argumentsIn(command));
      expect([code, stdout.replaceAll('\r\n', '\n')]).to.deep.equal([0, prints]);
    });

  it('shows the template', async () => {
    const [, shown = ''] =
      /^```ts\n(import type \{ ReplayProjection .*?)^```$/ms.exec(readFile('docs/history.md')) ?? [];
    const file = join(directory(), 'mine.ts');
    await runCli(directory(), ['history', 'replay', '--new', file]);
    const withoutImport = (text: string) => text.replace(/^import .*\n/, '');
    expect(withoutImport(shown)).to.equal(withoutImport(await read(file, 'utf8')));
  });
});
