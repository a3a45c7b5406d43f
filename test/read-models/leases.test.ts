import { expect } from 'chai';
import { openMongoReadModelsReader } from '../../src/read-models/mongodb/reader.ts';
import { openMongoReadModels } from '../../src/read-models/mongodb/read-models.ts';
import type { Leases } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { isCommand, openLink } from '../faults/link.ts';
import { describeOnMongo } from '../support/mongodb-stores.ts';

describeOnMongo('The lease of a projection in MongoDB', ({ url, open: openStore }) => {
  /** The leases as another process sees them. */
  const open = (): Leases => {
    const { leases } = openStore();
    if (!leases) throw new Error('Processes can share MongoDB');
    return leases;
  };
  const isHeld = async (leases: Leases) => (await leases.keep(['list'])).get('list')?.isHeld;

  it('is told of to who only reads', async () => {
    const reader = openMongoReadModelsReader(url());
    try {
      expect(await isHeld(open())).to.equal(true);
      const lease = (await reader.leases?.())?.get('list');
      expect(lease?.holder).to.match(new RegExp(`:${process.pid}:`));
      expect(Date.parse(lease?.since ?? '')).to.be.closeTo(Date.now(), 60_000);
    } finally {
      await reader.close();
    }
  });

  it('is of the first that asks', async () => {
    const [one, other] = [open(), open()];
    expect(await isHeld(one)).to.equal(true);
    expect(await isHeld(other)).to.equal(false);
    expect(await isHeld(one)).to.equal(true);
  });

  it('is free at once when it is given back', async () => {
    const [one, other] = [open(), open()];
    await isHeld(one);
    await one.release();
    expect(await isHeld(other)).to.equal(true);
  });

  it('is told of as lost where another had it meanwhile, though it is free again', async () => {
    // Given a process that was away while another one took the lease and gave it back
    const [one, other] = [open(), open()];
    await isHeld(one);
    await eventually('the other has it', async () => (await isHeld(other)) === true);
    await other.release();

    // Then it learns that its lease was lost, and may take it anew
    expect(await isHeld(one)).to.equal(false);
    expect(await isHeld(one)).to.equal(true);
  });

  it('is taken again by an instance that did not learn that it has it', async () => {
    // Given a lease that was taken, and whose answer did not arrive
    const link = await openLink(url());
    const store = openMongoReadModels({ url: link.urlOf(url()) });
    try {
      const { leases } = store;
      if (!leases) throw new Error('Processes can share MongoDB');
      const arrived = link.muteFrom(isCommand('findAndModify', 'leases'));
      const asked = isHeld(leases).catch(String);
      await arrived;
      expect(await asked).to.match(/MongoDB does not answer/);
      link.cut();

      // Then
      await eventually('it has it', async () => (await isHeld(leases)) === true);
      expect((await open().keep([], ['list'])).get('list')?.holder).to.match(new RegExp(`:${process.pid}:`));
    } finally {
      await store.close();
      await link.close();
    }
  });
});
