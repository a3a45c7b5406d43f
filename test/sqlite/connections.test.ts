import { expect } from 'chai';
import { readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openWriter } from '../../src/sqlite/connections.ts';
import { directoryForAll } from '../support/files.ts';

/** The files that this process has open (Linux, proc(5)). */
const openFiles = async (): Promise<readonly string[]> => {
  const descriptors = await readdir('/proc/self/fd');
  return Promise.all(descriptors.map((each) => readlink(join('/proc/self/fd', each)).catch(() => '')));
};

describe('A connection to a file that is no database', () => {
  const directory = directoryForAll('connections-');

  it('is refused, and leaves the file closed', async () => {
    const file = join(directory(), 'text.db');
    await writeFile(file, 'This is a text, and longer than the head of a database. '.repeat(20));

    expect(() => openWriter(file, 'FULL')).to.throw(`${file} cannot be opened: file is not a database`);

    expect(await openFiles()).not.to.include(file);
  });
});
