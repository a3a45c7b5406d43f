import { expect } from 'chai';
import { fuzz, type FuzzReport } from '../fuzz/fuzz.ts';
import type { Health } from '../fuzz/service-child.ts';
import { withBothServers } from '../support/servers.ts';
import { slowness } from '../support/slowness.ts';

/** Fixed, so that a failure is there again; `npm run fuzz` draws another each time. */
const SEED = 1;
/** As many as CI has time for. */
const REQUESTS = 10_000;
const MB = 2 ** 20;

/** Of what most operations are succeeded; the rest needs builds in a state that requests alone seldom lead to. */
const FEWEST_SUCCEEDED = 27;

const last = <T>(items: readonly T[]): T => {
  const item = items.at(-1);
  if (item === undefined) throw new Error('There is none');
  return item;
};

const expectSound = ({ faults, succeeded, health }: FuzzReport): void => {
  expect(faults).to.deep.equal([]);
  expect(succeeded.size, [...succeeded].join(', ')).to.be.at.least(FEWEST_SUCCEEDED);
  const middle = health[Math.floor(health.length / 2)] ?? last(health);
  // Read models are held in memory, and a plan adds to them.
  expect(last(health).heapUsed, 'bytes in use').to.be.below(1.25 * middle.heapUsed + 10 * MB);
  expect(Math.max(...health.map(({ p99Ms }: Health) => p99Ms)), 'the event loop is late by').to.be.below(
    100 * slowness(),
  );
};

describe('Fuzzed requests', function () {
  // Requests come one after the other.
  this.timeout(8 * 60_000);

  it('are each answered as described, leave nothing when refused, and memory stays', async () => {
    expectSound(await fuzz({ requests: REQUESTS, seed: SEED }));
  });
});

withBothServers('Fuzzed requests on servers', () => {
  it('are each answered as described, leave nothing when refused, and memory stays', async function () {
    this.timeout(12 * 60_000);
    expectSound(await fuzz({ requests: REQUESTS, seed: SEED }));
  });
});
