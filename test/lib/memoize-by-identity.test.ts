import { expect } from 'chai';
import { memoizeByIdentity } from '../../src/lib/memoize-by-identity.ts';

describe('A memoized function', () => {
  it('makes what it makes of an object once', () => {
    let calls = 0;
    const count = memoizeByIdentity((_key: object) => ++calls);
    const [one, two] = [{}, {}];
    expect([count(one), count(two), count(one)]).to.deep.equal([1, 2, 1]);
  });
});
