import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { MemberColumn } from '../../../src/history/warehouse/columns.ts';
import { csvLine } from '../../../src/history/warehouse/csv.ts';
import { databaseOf, literal, rowsOfQuery, type Appended } from '../../../src/history/warehouse/duckdb.ts';
import { beginParquet } from '../../../src/history/warehouse/parquet.ts';
import { directoryForEach } from '../../support/files.ts';

const columns: readonly MemberColumn[] = [
  { name: 'id', type: 'VARCHAR' },
  { name: 'at', type: 'TIMESTAMP' },
  { name: 'years', type: 'BIGINT' },
  { name: 'miles', type: 'DOUBLE' },
  { name: 'isHired', type: 'BOOLEAN' },
  { name: 'tags', type: 'JSON' },
];

describe('rows as a file of Parquet', () => {
  const directory = directoryForEach('hiring-tables-');

  const written = async (name: string, rows: readonly (readonly Appended[])[]) => {
    const file = join(directory(), name);
    const parquet = await beginParquet(file, columns);
    try {
      for (const row of rows) parquet.append([row]);
      await parquet.finish();
      return file;
    } finally {
      parquet.close();
    }
  };

  it('are read back as they were appended, in their order', async () => {
    const at = Date.parse('2026-03-02T09:00:00.000Z');
    const file = await written('rows.parquet', [
      ['b', at, 7, 1.5, true, '["x"]'],
      ['a', null, null, null, null, null],
    ]);
    const bounds = { spillTo: directory(), isReadOnly: false, threads: 1, writes: [file] } as const;
    const found = await databaseOf(
      ':memory:',
      bounds,
    )((database) =>
      rowsOfQuery(database, `SELECT id, epoch_ms("at"), years, miles, isHired, tags FROM ${literal(file)}`),
    );
    expect(found).to.deep.equal([
      ['b', BigInt(at), 7n, 1.5, true, '["x"]'],
      ['a', null, null, null, null, null],
    ]);
  });

  it('are the same bytes for the same rows, with nothing left beside them', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => [
      `id-${index}`,
      index,
      index,
      index / 3,
      true,
      '{}',
    ]);
    const [one, other] = [await written('one.parquet', rows), await written('other.parquet', rows)];
    expect((await readFile(one)).equals(await readFile(other))).to.equal(true);
    expect(await readdir(directory())).to.have.members(['one.parquet', 'other.parquet']);
  });

  it('leave nothing where they are not finished', async () => {
    const file = join(directory(), 'rows.parquet');
    const parquet = await beginParquet(file, columns);
    parquet.append([['a', 0, 1, 2, true, 'null']]);
    parquet.close();
    expect(existsSync(file)).to.equal(false);
    expect(await readdir(directory())).to.deep.equal([]);
  });
});

describe('a line of CSV', () => {
  it('tells null from an empty text, quotes what needs it, and runs nothing', () => {
    const cells = [null, '', 'a "b", c', '=1+1', '-7'];
    const types = ['VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR', 'BIGINT'];
    const line = csvLine(
      cells,
      types.map((type, index) => ({ name: `c${index}`, type })),
    );
    expect(line).to.equal(`,"","a ""b"", c",'=1+1,-7\r\n`);
  });
});
