import { expect } from 'chai';
import { memoize } from '../../src/lib/memoize.ts';

describe('A memoized function', () => {
  it('makes what it makes of an object once', () => {
    let calls = 0;
    const count = memoize((_key: object) => ++calls);
    const [one, two] = [{}, {}];
    expect([count(one), count(two), count(one)]).to.deep.equal([1, 2, 1]);
  });
});
