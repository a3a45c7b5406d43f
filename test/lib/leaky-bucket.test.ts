import { expect } from 'chai';
import { createLeakyBucket } from '../../src/lib/leaky-bucket.ts';

const took = async (act: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await act();
  return performance.now() - began;
};
const never = new AbortController().signal;
/** Timers may fire a little early. */
const SLACK_MS = 2;
/** The bucket skips waits that are shorter. */
const MIN_MS = 5;

describe('A leaky bucket', () => {
  it('waits until as many were due as are done', async () => {
    const pace = createLeakyBucket(() => 1_000, never);
    expect(await took(() => pace(50))).to.be.at.least(50 - SLACK_MS);
  });

  it('counts what was done before', async () => {
    const pace = createLeakyBucket(() => 1_000, never);
    const time = await took(async () => {
      for (let part = 0; part < 5; part++) await pace(10);
    });
    expect(time).to.be.at.least(50 - SLACK_MS - MIN_MS);
  });

  it('holds no caller where there is no bound', async () => {
    const pace = createLeakyBucket(() => Infinity, never);
    expect(await took(() => pace(1_000_000_000))).to.be.below(1_000);
  });

  it('takes over another rate while a caller waits', async () => {
    let rate = 1;
    const waiting = createLeakyBucket(() => rate, never)(3_600);
    rate = Infinity;
    await waiting;
  });

  it('lets go of callers when it is aborted', async () => {
    const stopping = new AbortController();
    const waiting = createLeakyBucket(() => 1, stopping.signal)(3_600);
    stopping.abort();
    await waiting;
  });
});
