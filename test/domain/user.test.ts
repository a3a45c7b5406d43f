import { expect } from 'chai';
import { createRepository } from '../../src/application/repository.ts';
import { userDecider } from '../../src/domain/user.ts';
import { userNamed } from '../commands/known.ts';
import { issued } from '../commands/users/code-histories.ts';
import { ids } from '../support/examples.ts';
import { storeWith } from '../support/facts.ts';

describe('The state of a user', () => {
  it('has a size that grows with codes and professionals, by which cached states are bounded', async () => {
    const store = await storeWith([userNamed, issued('first'), issued('second')]);
    const { state } = await createRepository(store).load(userDecider, ids.user);
    expect(userDecider.sizeOf?.(state)).to.equal(3);
  });
});
