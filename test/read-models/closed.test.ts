import { expect } from 'chai';
import { describeOnMongo } from '../support/mongodb-stores.ts';
import { rejectionOf } from '../support/refusal-of.ts';

describeOnMongo('Read models in MongoDB that were closed', ({ open }) => {
  it('ask the server nothing any more, which would connect again', async () => {
    // Given
    const store = open();
    await store.checkpointOf('any');

    // When
    await store.close();

    // Then
    const closed = 'Error: The connection to MongoDB was closed';
    expect(String(await rejectionOf(store.checkpointOf('any')))).to.equal(closed);
    expect(String(await rejectionOf(Promise.resolve(store.leases?.release())))).to.equal(closed);
  });
});
