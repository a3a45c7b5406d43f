import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { defineCollection, LeaseLost, type ReadModelStore, type Write } from '../src/read-models/port.ts';
import { eventually } from './eventually.ts';
import { describeOnMongo } from './mongodb-stores.ts';

const notes = defineCollection<{ readonly text: string }>({ name: 'notes', partition: 'id', indexes: [] });
const projection = { name: 'notes', version: 1, collections: [notes] };
const write = (text: string | null, position: string): Write => ({
  collection: notes,
  id: 'a',
  doc: text === null ? null : { text },
  position,
});
const at = (position: string) => ({ position, log: 'log' });

describeOnMongo('A document in MongoDB', ({ url, open }) => {
  const takesLease = async (store: ReadModelStore) =>
    (await store.leases?.keep([projection.name]))?.get(projection.name)?.isHeld === true;
  const holder = async (): Promise<ReadModelStore> => {
    const store = open();
    await takesLease(store);
    await store.prepare(projection);
    return store;
  };
  const text = async (store: ReadModelStore) => (await store.get(notes, 'a'))?.doc.text;

  it('is not replaced by an older one', async () => {
    const store = await holder();
    await store.commit(projection, [write('newer', '5')], at('5'));
    await store.commit(projection, [write('older', '3')], at('5'));
    expect(await text(store)).to.equal('newer');
  });

  it('is not replaced by an older one that was thought to be new, but by a newer one is', async () => {
    const store = await holder();
    await store.commit(projection, [write('there', '3')], at('3'));
    await store.commit(projection, [{ ...write('older', '2'), isNew: true }], at('3'));
    expect(await text(store)).to.equal('there');
    await store.commit(projection, [{ ...write('newer', '5'), isNew: true }], at('5'));
    expect(await text(store)).to.equal('newer');
  });

  it('that was deleted is not brought back by an older one: what is left of it stays for a day', async () => {
    const store = await holder();
    await store.commit(projection, [write('there', '3')], at('3'));
    await store.commit(projection, [write(null, '5')], at('5'));
    await store.commit(projection, [write('late', '4')], at('5'));
    expect(await text(store)).to.equal(undefined);

    const client = new MongoClient(url());
    const indexes = await client.db().collection(notes.name).indexes();
    await client.close();
    expect(indexes.find(({ name }) => name === 'deletedAt')?.expireAfterSeconds).to.equal(86_400);
  });

  it('is not written by one that has lost its lease, nor is the checkpoint', async () => {
    // Given a process that was away for so long that another has taken the lease
    const [late, other] = [await holder(), open()];
    await late.commit(projection, [write('before', '1')], at('1'));
    await eventually('the other has the lease', () => takesLease(other));
    await other.prepare(projection);

    // When it writes what it had in hand
    const outcome = await late
      .commit(projection, [write('late', '2')], at('2'))
      .catch((error: unknown) => error);

    // Then
    expect(outcome).to.be.instanceOf(LeaseLost);
    expect(await text(other)).to.equal('before');
    expect(await other.prepare(projection)).to.deep.equal(at('1'));
  });
});
