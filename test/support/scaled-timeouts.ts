import type { Context } from 'mocha';
import { slowness } from './slowness.ts';

/** Limits of time are meant for a machine of the usual speed: on a slower one each test has longer. */
export const mochaHooks = {
  beforeEach(this: Context): void {
    const test = this.currentTest;
    test?.timeout(Math.ceil(test.timeout() * slowness()));
  },
};
