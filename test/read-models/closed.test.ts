import { expect } from 'chai';
import { describeOnMongo } from '../support/mongodb-stores.ts';

const failureOf = (asked: Promise<unknown> | undefined): Promise<string> =>
  Promise.resolve(asked).then(() => 'none', String);

describeOnMongo('Read models in MongoDB that were closed', ({ open }) => {
  it('ask the server nothing any more, which would connect again', async () => {
    // Given
    const store = open();
    await store.checkpointOf('any');

    // When
    await store.close();

    // Then
    const closed = 'Error: The connection to MongoDB was closed';
    expect(await failureOf(store.checkpointOf('any'))).to.equal(closed);
    expect(await failureOf(store.leases?.release())).to.equal(closed);
  });
});
