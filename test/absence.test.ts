import { expect } from 'chai';
import fc from 'fast-check';
import { Absence } from '../src/absence.ts';
import { defineCollection, type Collection } from '../src/read-models/port.ts';

const people = defineCollection<{ readonly userId: string }>({
  name: 'people',
  partition: 'id',
  indexes: [['userId']],
});
const postings = { ...people, name: 'postings' };

describe('Absence', () => {
  it('is never certain of what was added', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (values) => {
        const absence = new Absence();
        for (const value of values) absence.add(people, 'id', value);
        expect(values.filter((value) => absence.isCertain(people, 'id', value))).to.deep.equal([]);
      }),
    );
  });

  it('is certain of nearly all else: of other values, columns and collections', () => {
    const absence = new Absence();
    const values = Array.from({ length: 10_000 }, (_, number) => `value ${number}`);
    for (const value of values) absence.add(people, 'id', value);
    const certain = (collection: Collection, column: string, prefix: string) =>
      values.filter((value) => absence.isCertain(collection, column, prefix + value)).length;
    expect(certain(people, 'id', 'another ')).to.be.greaterThan(9_900);
    expect(certain(people, 'userId', '')).to.be.greaterThan(9_900);
    expect(certain(postings, 'id', '')).to.be.greaterThan(9_900);
  });
});
