import { expect } from 'chai';
import { momentsOf } from '../../src/cli/parts/moments-asked.ts';
import { storeWith } from '../support/facts.ts';
import { rejectionOf } from '../support/refusal-of.ts';

describe('A moment that an option names', () => {
  it('is refused where it is none, and what was opened for it is closed', async () => {
    let isClosed = false;
    const log = await storeWith([]);
    const find = async () => momentsOf(log)('soon').finally(() => (isClosed = true));
    const refusal = await rejectionOf(find());
    expect(refusal).to.have.property('message').that.includes('must be a position');
    expect(isClosed).to.equal(true);
  });
});
