import { expect } from 'chai';
import { checkpointAt } from '../support/checkpoints.ts';
import { defineCollection, type Filter, type FindQuery, type ReadModelStore } from '../../src/read-models/port.ts';

interface Person {
  readonly team: string;
  readonly name: string | null;
  readonly age: number | null;
}
const people = defineCollection<Person>({
  name: 'contract_people',
  partition: 'team',
  indexes: [
    ['team', 'age', 'id'],
    ['team', 'name'],
  ],
});
const projection = { name: 'contract-people', version: 1, collections: [people] };

const stored: Record<string, Person> = {
  ada: { team: 'red', name: 'Ada Ékström', age: 36 },
  bob: { team: 'red', name: '100% Bob_by', age: 7 },
  cyd: { team: 'red', name: 'C.*d \\ back', age: null },
  dot: { team: 'red', name: null, age: 36 },
  eve: { team: 'blue', name: 'ada ÉKSTRÖM', age: -1 },
  fox: { team: 'blue', name: '', age: 0 },
  gus: { team: 'blue', name: '36', age: 1_000_000_000_000 },
  hal: { team: '', name: '\uFF21', age: 5 },
  ivy: { team: '', name: '😀', age: 5 },
  joe: { team: '', name: 'Z', age: 6 },
  kim: { team: '', name: 'a', age: 6 },
};

/** Names of people, each with texts that find it, and texts that do not (decisions, Name search). */
const names: readonly (readonly [name: string, found: readonly string[], missed: readonly string[]])[] = [
  ['Jürgen Weiß', ['WEISS', 'weiß', 'WEIẞ', 'ju\u0308rgen', 'wei'], ['jurgen', 'weis ']],
  ['JÜRGEN WEISS', ['weiß', 'Jürgen'], ['weib']],
  ['Αναστάσιος', ['ΑΝΑΣΤΆΣΙΟΣ', 'αναστάσιος', 'αναςτ', 'ΣΙΟ'], ['ΑΝΑΣΤΑΣΙΟΣ']],
  ['İbrahim Işık', ['ibrahim', 'IBRAHIM', 'i̇brahim', 'I\u0307BRAHIM', 'IŞIK'.slice(0, 2)], ['ışık', 'isik']],
  ['ibrahim', ['İBRAHİM'], ['ıbrahim']],
  ['Zoe\u0308 Nu\u0301n\u0303ez', ['ZOË', 'zoë', 'núñ'], ['zoe ', 'nunez']],
  ['ﬁona', ['FIONA', 'fi'], []],
  ['한글', ['한글'.normalize('NFD')], []],
  ['O’Brien (Jr.)', ['o’brien (', 'R.)'], ['o.brien']],
];

/** The finds' part of the read models contract; `current` gives the store that is open. */
export const findContract = (current: () => ReadModelStore): void => {
  describe('find and count', () => {
    before(async () => {
      await current().prepare(projection);
      const writes = Object.entries(stored).map(([id, doc]) => ({ collection: people, id, doc }));
      await current().commit(projection, writes, checkpointAt('1'));
    });

    const idsOf = async (find: FindQuery<Person>) => (await current().find(people, find)).map(({ id }) => id);

    const cases: readonly (readonly [what: string, filter: Filter<Person>, ids: readonly string[]])[] = [
      ['everything without a condition', {}, Object.keys(stored)],
      ['a text', { team: 'blue' }, ['eve', 'fox', 'gus']],
      ['an empty text, which is not null', { name: '' }, ['fox']],
      ['a text only in its case', { name: 'ada ékström' }, []],
      ['a number', { age: 36 }, ['ada', 'dot']],
      ['zero, which is not null', { age: 0 }, ['fox']],
      ['a text of digits, which is no number', { name: '36' }, ['gus']],
      ['a number that is no text', { name: 36 }, []],
      [
        'one of several texts',
        { team: { in: ['blue', 'red', 'green'] } },
        ['ada', 'bob', 'cyd', 'dot', 'eve', 'fox', 'gus'],
      ],
      ['one of several numbers', { age: { in: [7, 0, 8] } }, ['bob', 'fox']],
      ['one of a mixed list', { name: { in: [36, '36'] } }, ['gus']],
      ['one of a list with a text twice', { team: { in: ['blue', 'blue'] } }, ['eve', 'fox', 'gus']],
      ['none of an empty list', { team: { in: [] } }, []],
      ['a large number', { age: 1_000_000_000_000 }, ['gus']],
      ['a text that contains another', { name: { contains: 'ob' } }, ['bob']],
      ['whatever the case', { name: { contains: 'ADA' } }, ['ada', 'eve']],
      ['whatever the case of É and Ö', { name: { contains: 'éKSTRö' } }, ['ada', 'eve']],
      ['% as it is', { name: { contains: '0%' } }, ['bob']],
      ['% and nothing else for it', { name: { contains: 'A%e' } }, []],
      ['_ as it is', { name: { contains: 'b_b' } }, ['bob']],
      ['_ and nothing else for it', { name: { contains: 'a_a' } }, []],
      ['.* as it is', { name: { contains: '.*' } }, ['cyd']],
      ['. and nothing else for it', { name: { contains: 'a.a' } }, []],
      ['\\ as it is', { name: { contains: '\\' } }, ['cyd']],
      ['what every text contains, and null does not', { team: 'red', name: { contains: '' } }, ['ada', 'bob', 'cyd']],
      ['only where all conditions hold', { team: 'red', age: 36, name: { contains: 'a' } }, ['ada']],
      ['a list beside a number', { team: { in: ['red', 'blue'] }, age: 0 }, ['fox']],
    ];
    for (const [what, filter, ids] of cases) {
      it(`match ${what}`, async () => {
        expect(await idsOf({ filter, order: [['id', 'ascending']] })).to.deep.equal(ids);
        expect(await current().count(people, filter)).to.equal(ids.length);
      });
    }

    const finds: readonly (readonly [what: string, find: FindQuery<Person>, ids: readonly string[]])[] = [
      ['ids downwards', { filter: { team: 'red' }, order: [['id', 'descending']] }, ['dot', 'cyd', 'bob', 'ada']],
      [
        'null before numbers',
        {
          filter: { team: 'red' },
          order: [
            ['age', 'ascending'],
            ['id', 'ascending'],
          ],
        },
        ['cyd', 'bob', 'ada', 'dot'],
      ],
      [
        'mixed directions',
        {
          filter: { team: 'red' },
          order: [
            ['age', 'descending'],
            ['id', 'descending'],
          ],
        },
        ['dot', 'ada', 'bob', 'cyd'],
      ],
      [
        'one column up and the next down',
        {
          filter: { team: '' },
          order: [
            ['age', 'ascending'],
            ['name', 'descending'],
          ],
        },
        ['ivy', 'hal', 'kim', 'joe'],
      ],
      [
        'ties by id',
        {
          filter: { team: '' },
          order: [
            ['age', 'descending'],
            ['id', 'ascending'],
          ],
        },
        ['joe', 'kim', 'hal', 'ivy'],
      ],
      ['texts by code point', { filter: { team: '' }, order: [['name', 'ascending']] }, ['joe', 'kim', 'hal', 'ivy']],
      [
        'the members of several partitions',
        {
          filter: { age: { in: [36, 5, -1] } },
          order: [
            ['team', 'descending'],
            ['id', 'ascending'],
          ],
        },
        ['ada', 'dot', 'eve', 'hal', 'ivy'],
      ],
    ];
    for (const [what, find, ids] of finds) {
      it(`order ${what}`, async () => {
        expect(await idsOf(find)).to.deep.equal(ids);
      });
    }

    const pages: readonly (readonly [what: string, skip: number, limit: number, ids: readonly string[]])[] = [
      ['the first page', 0, 2, ['ada', 'bob']],
      ['a page in the middle', 2, 1, ['cyd']],
      ['a last page that is not full', 3, 5, ['dot']],
      ['nothing at the end', 4, 5, []],
      ['nothing beyond the end', 1_000, 5, []],
      ['nothing beyond 32 bits', 2 ** 40, 5, []],
      ['nothing at the last safe integer', Number.MAX_SAFE_INTEGER, 100, []],
      ['nothing beyond the safe integers', 1e21, 100, []],
    ];
    for (const [what, skip, limit, ids] of pages) {
      it(`give ${what}`, async () => {
        expect(await idsOf({ filter: { team: 'red' }, order: [['id', 'ascending']], skip, limit })).to.deep.equal(ids);
      });
    }

    it('give the ids alone of those whose column has a text, in any order', async () => {
      const idsWith = async (column: string, value: string) => [...(await current().ids(people, column, value))].sort();
      expect(await idsWith('team', 'blue')).to.deep.equal(['eve', 'fox', 'gus']);
      expect(await idsWith('team', '')).to.deep.equal(['hal', 'ivy', 'joe', 'kim']);
      expect(await idsWith('name', '36')).to.deep.equal(['gus']);
      expect(await idsWith('team', 'none')).to.deep.equal([]);
    });

    it('give the rest after a skip without a limit', async () => {
      expect(await idsOf({ filter: { team: 'red' }, order: [['id', 'ascending']], skip: 3 })).to.deep.equal(['dot']);
    });

    it('give pages that together are the whole', async () => {
      const find: FindQuery<Person> = {
        filter: {},
        order: [
          ['age', 'descending'],
          ['id', 'ascending'],
        ],
      };
      const starts = [0, 3, 6, 9];
      const read = await Promise.all(starts.map((skip) => idsOf({ ...find, skip, limit: 3 })));
      expect(read.flat()).to.deep.equal(await idsOf(find));
    });

    it('search a text whatever its case in any language, and by its accents', async () => {
      const named = names.map(([name], index) => [`name-${index}`, { team: 'named', name, age: index }] as const);
      await current().commit(
        projection,
        named.map(([id, doc]) => ({ collection: people, id, doc })),
        checkpointAt('2'),
      );
      const found = async (text: string) => idsOf({ filter: { team: 'named', name: { contains: text } } });
      const faults: string[] = [];
      for (const [index, [name, hits, misses]] of names.entries()) {
        for (const text of hits)
          if (!(await found(text)).includes(`name-${index}`)) faults.push(`${text} misses ${name}`);
        for (const text of misses)
          if ((await found(text)).includes(`name-${index}`)) faults.push(`${text} finds ${name}`);
      }
      expect(faults).to.deep.equal([]);
    });

    it('give a page of what a search finds, in order', async () => {
      const filter: Filter<Person> = { name: { contains: 'A' }, team: { in: ['red', 'blue', ''] } };
      const find: FindQuery<Person> = { filter, order: [['age', 'descending']] };
      expect(await idsOf(find)).to.deep.equal(['ada', 'kim', 'eve', 'cyd']);
      expect(await idsOf({ ...find, skip: 1, limit: 2 })).to.deep.equal(['kim', 'eve']);
      expect(await idsOf({ ...find, limit: 0 })).to.deep.equal([]);
    });

    it('give documents with their ids', async () => {
      expect(await current().find(people, { filter: { name: { contains: 'bob' } } })).to.deep.equal([
        { id: 'bob', doc: stored['bob'] },
      ]);
    });
  });
};
