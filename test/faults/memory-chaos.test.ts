import { expect } from 'chai';
import { seedFrom, withSeed } from '../seeded.ts';
import { chaosRun } from './memory-chaos.ts';

const SEED = 'BUILDS_CHAOS_SEED';
const RUNS = 100;
const AT_ONCE = 20;

/** With a seed that was named, that run alone. */
const seeds = (): number[] => {
  const first = seedFrom(SEED);
  return Array.from({ length: process.env[SEED] === undefined ? RUNS : 1 }, (_, run) => first + run);
};

describe('Up to 4 projectors that start, stop, are killed, fail, and are operated at random', function () {
  this.timeout(600_000);

  it(`come to what the log says, nothing twice (${RUNS} runs)`, async () => {
    const left = seeds();
    const run = async (): Promise<void> => {
      for (let seed = left.pop(); seed !== undefined; seed = left.pop()) {
        const its = seed;
        await withSeed(SEED, its, async () => {
          const { misheld, misfolded, served, folded } = await chaosRun(its);
          expect(misheld.join('\n'), 'not the streams that cannot be folded wait').to.equal('');
          expect(misfolded.join('\n'), 'not each event once, in its order').to.equal('');
          const [found, expected] = [new Set(served), new Set(folded)];
          const missing = folded.filter((line) => !found.has(line));
          const surplus = served.filter((line) => !expected.has(line));
          expect(missing.join('\n'), `missing, and instead:\n${surplus.join('\n')}`).to.equal('');
          expect(surplus.join('\n'), 'surplus').to.equal('');
          expect(found.size, 'nothing is there twice').to.equal(served.length);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, run));
  });
});
