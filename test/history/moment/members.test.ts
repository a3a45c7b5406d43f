import { expect } from 'chai';
import { memberChangesBetween, LastChanges, leavesOf, valueAtPath } from '../../../src/history/moment/member-paths.ts';

describe('The members that differ', () => {
  const row = { id: 'c1', commute: { drive: { distance: 5, eta: null } }, benefits: ['a'], salary: null };

  it('are told as deep as both values are objects', () => {
    const after = { ...row, commute: { drive: { distance: 6, eta: null } }, salary: { min: 1 } };
    expect(memberChangesBetween(row, after)).to.deep.equal([
      { path: ['commute', 'drive', 'distance'], from: 5, to: 6 },
      { path: ['salary'], from: null, to: { min: 1 } },
    ]);
  });

  it('are told of lists as a whole, and of members that only one has', () => {
    expect(memberChangesBetween({ benefits: ['a', 'b'] }, { benefits: ['b'], more: 1 })).to.deep.equal([
      { path: ['benefits'], from: ['a', 'b'], to: ['b'] },
      { path: ['more'], from: undefined, to: 1 },
    ]);
  });

  it('are the whole of what was not there before', () => {
    expect(memberChangesBetween(undefined, row)).to.deep.equal([{ path: [], from: undefined, to: row }]);
    expect(memberChangesBetween(row, { ...row })).to.deep.equal([]);
  });

  it('may have names that every object has', () => {
    const odd = JSON.parse('{"endorsed":{"__proto__":1,"a.b":2}}') as { endorsed: Record<string, number> };
    expect(memberChangesBetween({ endorsed: {} }, odd).map(({ path }) => path)).to.deep.equal([
      ['endorsed', '__proto__'],
      ['endorsed', 'a.b'],
    ]);
    expect(leavesOf(odd)).to.deep.equal([
      [['endorsed', '__proto__'], 1],
      [['endorsed', 'a.b'], 2],
    ]);
    expect(valueAtPath(odd, ['endorsed', 'constructor'])).to.equal(undefined);
  });
});

describe('What last changed a member', () => {
  it('is what last made it, what it is in, or a part of it', () => {
    const changes = new LastChanges<string>();
    changes.note([], 'applied');
    changes.note(['salary'], 'told');
    changes.note(['salary', 'max'], 'raised');
    expect(changes.of(['id'])).to.equal('applied');
    expect(changes.of(['salary', 'min'])).to.equal('told');
    expect(changes.of(['salary', 'max'])).to.equal('raised');
    expect(changes.of(['salary'])).to.equal('raised');
    expect(changes.ofRow).to.equal('applied');
  });

  it('is forgotten with what is replaced as a whole', () => {
    const changes = new LastChanges<string>();
    changes.note(['salary', 'max'], 'raised');
    changes.note(['salary'], 'told');
    changes.note([], 'saved again');
    expect(changes.of(['salary', 'max'])).to.equal('saved again');
  });
});
