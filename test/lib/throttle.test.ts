import { expect } from 'chai';
import { throttle } from '../../src/lib/throttle.ts';

describe('A throttled function', () => {
  it('is run at the first call, and not again for a while', () => {
    const calls: string[] = [];
    const call = throttle(60_000, (name: string) => calls.push(name));
    for (const name of ['one', 'two', 'three']) call(name);
    expect(calls).to.deep.equal(['one']);
  });

  it('is run again when the while is over', () => {
    let calls = 0;
    const call = throttle(0, () => calls++);
    for (let count = 1; count <= 3; count++) call();
    expect(calls).to.equal(3);
  });
});
