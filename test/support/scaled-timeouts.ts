import type { Context } from 'mocha';
import { keepSemiSpaceFlagToThisThread } from '../../src/lib/semi-space-flag.ts';
import { slowness } from './slowness.ts';

// The worker threads of a test have the memory that the service gives them.
keepSemiSpaceFlagToThisThread();

/** Limits of time are meant for a machine of the usual speed: on a slower one each test has longer. */
export const mochaHooks = {
  beforeEach(this: Context): void {
    const test = this.currentTest;
    test?.timeout(Math.ceil(test.timeout() * slowness()));
  },
};
