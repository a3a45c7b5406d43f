import { expect } from 'chai';
import type { LoadedReplay } from '../../../src/history/replay/load.ts';
import type { RowTexts } from '../../../src/history/replay/rows.ts';
import { MAX_ROWS_LOOKED_AT, createReplayResultTable } from '../../../src/history/replay/table.ts';
import { messageOf } from '../../support/refusal-of.ts';

async function* textsOf(rows: Iterable<object>): RowTexts {
  await Promise.resolve();
  for (const row of rows) yield JSON.stringify(row);
}

const tableFrom = async (rows: Iterable<object>, declared?: LoadedReplay['columns']) => {
  const table = await createReplayResultTable('mine.ts', textsOf(rows), declared);
  const all: unknown[] = [];
  for await (const row of table.rows) all.push(row);
  return { columns: table.columns.map(({ name, type }) => `${name} ${type}`), rows: all };
};

describe('The columns of a replay', () => {
  it('are the members of its rows, in the order in which they are first seen', async () => {
    expect(
      await tableFrom([
        { id: 'a', hires: 1, days: 1, isOpen: true, tags: ['x'], mixed: 1, none: null },
        { later: '2026-03-02', id: null, hires: -2, days: 1.5, isOpen: false, tags: {}, mixed: 'one' },
      ]),
    ).to.deep.equal({
      columns: [
        'id VARCHAR',
        'hires BIGINT',
        'days DOUBLE',
        'isOpen BOOLEAN',
        'tags JSON',
        'mixed JSON',
        'none VARCHAR',
        'later VARCHAR',
      ],
      rows: [
        ['a', 1, 1, true, '["x"]', '1', null, null],
        [null, -2, 1.5, false, '{}', '"one"', null, '2026-03-02'],
      ],
    });
  });

  it('are those that the file declares, in their order', async () => {
    const declared = [
      { name: 'at', type: 'TIMESTAMP' },
      { name: 'id', type: 'VARCHAR' },
    ] as const;
    expect(await tableFrom([{ id: 'a', at: '2026-03-02T09:00:00.000Z' }, {}], declared)).to.deep.equal({
      columns: ['at TIMESTAMP', 'id VARCHAR'],
      rows: [
        [Date.parse('2026-03-02T09:00:00.000Z'), 'a'],
        [null, null],
      ],
    });
  });

  const refusalOf = (rows: Iterable<object>, declared?: LoadedReplay['columns']) =>
    messageOf(tableFrom(rows, declared));

  it('are refused where a row does not fit them', async () => {
    expect(await refusalOf([{ id: 'a' }, { id: 1 }], [{ name: 'id', type: 'VARCHAR' }])).to.equal(
      'mine.ts: row 2 does not fit: its member id is no value of a column of VARCHAR; declare columns in the file',
    );
    expect(await refusalOf([{ id: 'a', more: 1 }], [{ name: 'id', type: 'VARCHAR' }])).to.include(
      'its member more has no column',
    );
  });

  it('are refused where a row comes with another member when the others are being written', async () => {
    function* rows() {
      for (let number = 0; number < MAX_ROWS_LOOKED_AT; number++) yield { number };
      yield { number: 1.5 };
    }
    expect(await refusalOf(rows())).to.include(
      `row ${MAX_ROWS_LOOKED_AT + 1} does not fit: its member number is no value of a column of BIGINT`,
    );
  });
});
