import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { withTimeout } from '../../src/lib/with-timeout.ts';
import { messageOf } from '../support/refusal-of.ts';

const never = new Promise<never>(() => undefined);

describe('A wait for a promise', () => {
  it('ends where the time was over before, of which Node.js does not warn', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => void warnings.push(warning);
    process.on('warning', hear);
    const message = await messageOf(withTimeout(never, -8, 'no answer in time'));
    await setImmediate();
    process.off('warning', hear);
    expect([message, warnings]).to.deep.equal(['no answer in time', []]);
  });
});
