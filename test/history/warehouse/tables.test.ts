import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { MemberColumn } from '../../../src/history/warehouse/member-columns.ts';
import { withDatabase, literal, rowsOfQuery, type AppendedValue } from '../../../src/history/warehouse/duckdb.ts';
import { resultToCsv } from '../../../src/history/warehouse/result-formats.ts';
import { writeRowsAsParquet } from '../../../src/history/warehouse/parquet.ts';
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

  const written = async (name: string, rows: readonly (readonly AppendedValue[])[]) => {
    const file = join(directory(), name);
    await writeRowsAsParquet(file, { columns, rows });
    return file;
  };

  it('are read back as they were appended, in their order', async () => {
    const at = Date.parse('2026-03-02T09:00:00.000Z');
    const file = await written('rows.parquet', [
      ['b', at, 7, 1.5, true, '["x"]'],
      ['a', null, null, null, null, null],
    ]);
    const bounds = { spillTo: directory(), isReadOnly: false, threads: 1, writes: [file] } as const;
    const found = await withDatabase(
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
    const rows = Array.from({ length: 5_000 }, (_, index) => [`id-${index}`, index, index, index / 3, true, '{}']);
    const [one, other] = [await written('one.parquet', rows), await written('other.parquet', rows)];
    expect((await readFile(one)).equals(await readFile(other))).to.equal(true);
    expect(await readdir(directory())).to.have.members(['one.parquet', 'other.parquet']);
  });

  it('leave nothing where they end early', async () => {
    async function* failing() {
      yield await Promise.resolve(['a', 0, 1, 2, true, 'null']);
      throw new Error('no more');
    }
    const file = join(directory(), 'rows.parquet');
    const failed = await writeRowsAsParquet(file, { columns, rows: failing() }).catch(String);
    expect([failed, existsSync(file)]).to.deep.equal(['Error: no more', false]);
    expect(await readdir(directory())).to.deep.equal([]);
  });
});

describe('rows as CSV', () => {
  it('tell null from an empty text, quote what needs it, and run nothing', async () => {
    const cells = [null, '', 'a "b", c', '=1+1', '-7'];
    const types = ['VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR', 'BIGINT'];
    async function* batches() {
      yield await Promise.resolve([cells]);
    }
    const pieces = [];
    for await (const piece of resultToCsv({
      columns: types.map((type, index) => ({ name: `c${index}`, type })),
      batches: batches(),
    }))
      pieces.push(piece);
    expect(pieces).to.deep.equal(['c0,c1,c2,c3,c4\r\n', `,"","a ""b"", c",'=1+1,-7\r\n`]);
  });
});
