import { expect } from 'chai';
import { createKeyedMutex } from '../../src/lib/keyed-mutex.ts';

/** A task that ends when it is told to. */
const task = () => {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  let hasBegun = false;
  const run = () => {
    hasBegun = true;
    return promise;
  };
  return { run, end: () => end(), hasBegun: () => hasBegun };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('A keyed mutex', () => {
  it('runs tasks of one key one after another, also those that come while another waits', async () => {
    const exclusively = createKeyedMutex();
    const [first, second, third] = [task(), task(), task()];
    const begun = () => [first, second, third].map(({ hasBegun }) => hasBegun());
    const all = [exclusively('a', first.run), exclusively('a', second.run)];
    await settled();
    expect(begun()).to.deep.equal([true, false, false]);
    first.end();
    await settled();
    all.push(exclusively('a', third.run));
    await settled();
    expect(begun()).to.deep.equal([true, true, false]);
    second.end();
    third.end();
    await Promise.all(all);
    expect(begun()).to.deep.equal([true, true, true]);
  });

  it('lets different keys go side by side, and goes on after a failure', async () => {
    const exclusively = createKeyedMutex();
    const [one, other] = [task(), task()];
    const both = [exclusively('a', one.run), exclusively('b', other.run)];
    await settled();
    expect([one.hasBegun(), other.hasBegun()]).to.deep.equal([true, true]);
    one.end();
    other.end();
    await Promise.all(both);
    const failed = exclusively('a', () => Promise.reject(new Error('no')));
    const after = exclusively('a', () => Promise.resolve('done'));
    await failed.catch(() => undefined);
    expect(await after).to.equal('done');
  });
});
