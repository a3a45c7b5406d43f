import { mkdtemp, readFile as read, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { replayWorld } from '../history/replay/world.ts';
import { runCli } from '../support/cli.ts';
import { storeWith } from '../support/facts.ts';
import { readFile, root } from '../support/project.ts';
import { historyExamples } from './history-page.ts';
import { openLogHere } from '../support/threads-here.ts';

const examples = historyExamples(['replay']);

/** The arguments of a command line that is run in the project's directory. */
const argumentsIn = (command: string): string[] =>
  command.split(' ').map((word) => (word.startsWith('docs/') ? join(root, word) : word));

describe('docs/history.md, replay', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-replay-page-'));
    const log = await openLogHere(join(directory, 'events.db'));
    await storeWith(replayWorld, log);
    await log.close();
  });
  after(() => rm(directory, { recursive: true }));

  it('shows examples', () => {
    expect(examples).to.have.length.above(1);
  });

  for (const { command, prints } of examples)
    it(`shows what this prints: hiring ${command}`, async () => {
      const { code, stdout } = await runCli(directory, argumentsIn(command));
      expect([code, stdout.replaceAll('\r\n', '\n')]).to.deep.equal([0, prints]);
    });

  it('shows the template', async () => {
    const [, shown = ''] =
      /^```ts\n(import type \{ ReplayProjection .*?)^```$/ms.exec(readFile('docs/history.md')) ?? [];
    const file = join(directory, 'mine.ts');
    await runCli(directory, ['history', 'replay', '--new', file]);
    const withoutImport = (text: string) => text.replace(/^import .*\n/, '');
    expect(withoutImport(shown)).to.equal(withoutImport(await read(file, 'utf8')));
  });
});
