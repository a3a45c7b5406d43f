import { expect } from 'chai';
import { seedFrom, withSeed } from '../support/seeded.ts';
import { chaosRun } from './memory-chaos.ts';

const SEED = 'BUILDS_CHAOS_SEED';
const RUNS = 100;
const AT_ONCE = 20;

/** Only the named seed, where the environment names one. */
const seeds = (): number[] => {
  const first = seedFrom(SEED);
  return Array.from({ length: process.env[SEED] === undefined ? RUNS : 1 }, (_, run) => first + run);
};

/** Fails with all lines. */
const expectNone = (what: string, lines: readonly string[]): void => {
  expect(lines.length, `${what}:\n${lines.join('\n')}\n`).to.equal(0);
};

describe('Up to 4 projectors that start, stop, are killed, fail, and are operated at random', function () {
  this.timeout(600_000);

  it(`come to what the log says, nothing twice (${RUNS} runs)`, async () => {
    const left = seeds();
    const isWhole = left.length === RUNS;
    const all = { stored: 0, brokenOff: 0 };
    const run = async (): Promise<void> => {
      for (let seed = left.pop(); seed !== undefined; seed = left.pop()) {
        const its = seed;
        await withSeed(SEED, its, async () => {
          const { misparked, misapplied, blind, served, applied, parts } = await chaosRun(its);
          all.stored += parts.stored;
          all.brokenOff += parts.brokenOff;
          expectNone('streams that should be parked and are not, or the other way round', misparked);
          expectNone('not each event once, in its order', misapplied);
          expectNone('committed after a failure, with no look at what is stored', blind);
          const [found, expected] = [new Set(served), new Set(applied)];
          const missing = applied.filter((line) => !found.has(line));
          const surplus = served.filter((line) => !expected.has(line));
          expect(missing.join('\n'), `missing, and instead:\n${surplus.join('\n')}`).to.equal('');
          expect(surplus.join('\n'), 'surplus').to.equal('');
          expect(found.size, 'nothing is there twice').to.equal(served.length);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, run));
    // Otherwise the runs do not test events that are stored in parts.
    if (isWhole) expect(all.brokenOff, `of ${all.stored} parts`).to.be.greaterThan(RUNS / 10);
  });
});
