import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { closeAfter, openWriter } from '../../src/sqlite/connections.ts';
import { directoryForEach } from '../support/files.ts';
import { describeWith, NOBODY, otherUsers } from '../support/tools.ts';

const CONNECTIONS = new URL('../../src/sqlite/connections.js', import.meta.url).href;
/** Reads a file, and closes it when its standard input ends. */
const READER = `
  import { openReader } from ${JSON.stringify(CONNECTIONS)};
  const reader = openReader(process.argv[1]);
  console.log(JSON.stringify(reader.prepare('SELECT text FROM texts').raw().all([])));
  process.stdin.resume().once('end', () => {
    try { reader.close(); } catch (error) { console.log(error.message); }
  });`;

describeWith([otherUsers], 'A file read where nothing may be written', () => {
  const directory = directoryForEach('hiring-unchanging-');
  const write = (text: string): void =>
    closeAfter(openWriter(join(directory(), 'texts.db'), 'FULL'), (connection) => {
      connection.exec(`CREATE TABLE IF NOT EXISTS texts (text TEXT); INSERT INTO texts VALUES ('${text}')`);
    });

  for (const [what, meanwhile, said] of [
    ['is what it was', () => undefined, /^\[\["first"\]\]\n$/],
    [
      'is known to have been written meanwhile',
      () => write('second'),
      /^\[\["first"\]\]\n.*texts\.db was written while it was read.*\n$/,
    ],
  ] as const)
    it(what, async () => {
      write('first');
      chmodSync(directory(), 0o755);
      chmodSync(join(directory(), 'texts.db'), 0o644);
      const reader = spawn(
        process.execPath,
        ['--input-type=module', '--eval', READER, join(directory(), 'texts.db')],
        NOBODY,
      );
      let output = '';
      reader.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await once(reader.stdout, 'data');
      meanwhile();
      reader.stdin.end();
      await once(reader, 'close');
      expect(output).to.match(said);
    });
});
