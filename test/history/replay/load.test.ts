import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadReplay } from '../../../src/history/replay/load.ts';
import { writeTemplate } from '../../../src/history/replay/template.ts';
import { storeWith } from '../../support/facts.ts';
import { complaintsOf } from '../../support/compiler.ts';
import { readFile as readProjectFile } from '../../support/project.ts';
import { replayed } from './replaying.ts';
import { replayWorld } from './world.ts';
import { directoryForEach } from '../../support/files.ts';
import { messageOf } from '../../support/refusal-of.ts';

const SHAPE = 'init: () => ({}), rows: () => []';

/** What the compiler says of files, with the options that docs/history.md names. */
const complaintsAbout = (...files: readonly string[]) => {
  const [, words = ''] = /`npx tsc ([^`]+) <file\.ts>`/.exec(readProjectFile('docs/history.md')) ?? [];
  return complaintsOf([...words.split(/\s+/), ...files]);
};

describe('A file of a replay', () => {
  const directory = directoryForEach('hiring-replay-');

  const written = async (name: string, text: string): Promise<string> => {
    const file = join(directory(), name);
    await writeFile(file, text);
    return file;
  };
  const refusalOf = async (file: string): Promise<string> =>
    (await messageOf(loadReplay(file))).replace(`${directory()}/`, '');

  it('is TypeScript or JavaScript, and imports others', async () => {
    await written('parts.mts', 'export const rows = (state: object): object[] => [state];');
    const text = `import { rows } from './parts.mts';
      interface State { count: number }
      export default { init: (): State => ({ count: 0 }), handlers: { PostingClosed: (_: unknown, state: State) => void state.count++ }, rows };`;
    const loaded = await loadReplay(await written('mine.ts', text));
    expect((await replayed(await storeWith(replayWorld), loaded)).rows).to.deep.equal([{ count: 1 }]);
    const plain = `export default { ${SHAPE}, handlers: { PostingClosed() {} } };`;
    for (const name of ['mine.js', 'mine.mjs'])
      expect([...(await loadReplay(await written(name, plain))).handlers.keys()]).to.deep.equal(['PostingClosed']);
  });

  it('is loaded anew each time, with what it imports', async () => {
    const file = await written(
      'mine.ts',
      `import { type } from './type.ts'; export default { ${SHAPE}, handlers: { [type]() {} } };`,
    );
    for (const type of ['PostingClosed', 'PostingSaved']) {
      await written('type.ts', `export const type: string = '${type}';`);
      expect([...(await loadReplay(file)).handlers.keys()]).to.deep.equal([type]);
    }
  });

  for (const [name, text, says] of [
    ['mine.py', '', 'mine.py is no file of code; allowed: .ts, .mts, .js, .mjs'],
    ['mine.ts', 'const a: = 1;', 'mine.ts cannot be loaded: line 1: Unexpected token'],
    ['mine.ts', '\nenum A { B }', 'mine.ts cannot be loaded: line 2: TypeScript enum is not supported'],
    ['mine.ts', "\n\nthrow new Error('so it is');", 'mine.ts cannot be loaded: line 3: so it is'],
    ['mine.ts', "import './none.ts';", 'mine.ts cannot be loaded: Cannot find module'],
    ['mine.js', 'export default {', 'mine.js cannot be loaded: '],
    ['mine.ts', 'export const init = 1;', 'mine.ts is no projection: it has no default export that is an object'],
    ['mine.ts', 'export default {};', 'its default export has no function init'],
    ['mine.ts', 'export default { init() {} };', 'its default export has no function rows'],
    ['mine.ts', `export default { ${SHAPE} };`, 'its default export has no handlers'],
    ['mine.ts', `export default { ${SHAPE}, handlers: {} };`, 'its default export has no handlers'],
    [
      'mine.ts',
      `export default { ${SHAPE}, handlers: { PostingClosed: 1 } };`,
      'its handler PostingClosed is no function',
    ],
    [
      'mine.ts',
      `export default { ${SHAPE}, handlers: { PostingLost() {} } };`,
      'it handles PostingLost, which is no type of events; docs/events.md lists them',
    ],
    [
      'mine.ts',
      `export default { ${SHAPE}, handlers: { PostingClosed() {} }, columns: { a: 'TEXT' } };`,
      'its column a has no type; allowed: VARCHAR, BIGINT, DOUBLE, BOOLEAN, TIMESTAMP, JSON',
    ],
  ] as const)
    it(`is refused in one line: ${name} with ${text.trim() || 'nothing'}`, async () => {
      expect(await refusalOf(await written(name, text))).to.include(says);
    });

  it('is refused where it is not there', async () => {
    expect(await refusalOf(join(directory(), 'none.ts'))).to.equal('none.ts is not there; --new writes a template');
  });

  it('can be written as a template, which a replay takes as it is', async () => {
    const file = join(directory(), 'mine.ts');
    writeTemplate(file);
    const { rows } = await replayed(await storeWith(replayWorld), await loadReplay(file));
    expect(rows).to.deep.equal([{ month: '2026-03', applications: 6, hires: 2 }]);
  });

  it('is written as a template that only its user can read', async () => {
    const file = join(directory(), 'mine.ts');
    writeTemplate(file);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });

  it('is typed by the events: the compiler takes the template, and no member that they have not', async () => {
    const file = join(directory(), 'mine.ts');
    writeTemplate(file);
    const template = await readFile(file, 'utf8');
    const misspelt = await written('misspelt.ts', template.replace('metadata.recordedAt', 'metadata.recordedOn'));
    // Both at once: the compiler reads all types of the events each time.
    const [complaint, ...others] = complaintsAbout(file, misspelt);
    expect(complaint).to.match(/misspelt\.ts\(\d+,\d+\): error TS\d+: Property 'recordedOn' does not exist/);
    expect(others).to.deep.equal([]);
  });

  it('is no template where the file is there, or is no TypeScript', async () => {
    const file = await written('mine.ts', 'kept');
    expect(() => writeTemplate(file)).to.throw(`${file} is there already; allowed for --new: a new file`);
    expect(await readFile(file, 'utf8')).to.equal('kept');
    expect(() => writeTemplate(join(directory(), 'mine.js'))).to.throw('does not end in .ts');
    expect(() => writeTemplate(join(directory(), 'none', 'mine.ts'))).to.throw('directory');
  });
});
