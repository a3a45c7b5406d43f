import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { affordableConnections, readOpenFilesLimit } from '../../src/http/open-files-limit.ts';

describe('The connections that a process can afford', () => {
  const cases: readonly (readonly [number, number | undefined, number])[] = [
    [1_000, 20_000, 1_000],
    [1_000, undefined, 1_000],
    [1_000, 1_024, 768],
    [1_000, 200, 100],
    [1_000, 1, 1],
    [10, 1_024, 10],
  ];
  for (const [wanted, files, expected] of cases)
    it(`are ${expected} where ${wanted} are wanted, and ${files ?? 'an unknown number of'} files may be open`, () => {
      expect(affordableConnections(wanted, files)).to.equal(expected);
    });

  it('are found in what Linux tells of the process, and nowhere else', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'hiring-limits-'));
    const file = join(directory, 'limits');
    const limitIn = async (text: string) => {
      await writeFile(file, text);
      return readOpenFilesLimit(file);
    };
    const found = [
      await limitIn(
        'Max processes             95997   95997   processes\nMax open files            1024    4096    files\n',
      ),
      await limitIn('Max open files            unlimited    unlimited    files\n'),
      await limitIn(''),
      readOpenFilesLimit(join(directory, 'missing')),
    ];
    await rm(directory, { recursive: true });
    expect(found).to.deep.equal([1_024, undefined, undefined, undefined]);
  });
});
