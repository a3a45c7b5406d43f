import { expect } from 'chai';
import { MongoClient, type Document } from 'mongodb';
import {
  defineCollection,
  LeaseLostError,
  type ReadModelStore,
  type DocumentWrite,
} from '../../src/read-models/port.ts';
import { openMongoReadModels } from '../../src/read-models/mongodb/read-models.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { eventually } from '../support/eventually.ts';
import { isCommit, openLink, type Link } from '../faults/link.ts';
import { describeOnMongo, leased } from '../support/mongodb-stores.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const notes = defineCollection<{ readonly text: string }>({ name: 'notes', partition: 'id', indexes: [] });
const projection = { name: 'notes', version: 1, collections: [notes] };
const write = (text: string | null, id = 'a'): DocumentWrite => ({
  collection: notes,
  id,
  doc: text === null ? null : { text },
});
const at = checkpointAt;
/** Longer than a lease lasts without renewal, and shorter than the server keeps an idle transaction. */
const TAKEN_OVER_MS = 15_000;
/** Longer than a store waits for the answer to a commit. */
const GIVEN_UP_MS = 45_000;

describeOnMongo('What is committed to MongoDB', ({ url, open }) => {
  let link: Link | undefined;
  afterEach(async () => {
    await link?.close();
    link = undefined;
  });

  const takesLease = async (store: ReadModelStore) =>
    (await store.leases?.keep([projection.name]))?.get(projection.name)?.isHeld === true;
  /** A store that holds the lease and has prepared to write the projection. */
  const holder = async (store = open()): Promise<ReadModelStore> => {
    await takesLease(store);
    await store.prepare(projection);
    return store;
  };
  const takenOver = async (): Promise<ReadModelStore> => {
    const other = open();
    await eventually('the other has the lease', () => takesLease(other), TAKEN_OVER_MS);
    await other.prepare(projection);
    return other;
  };
  const text = async (store: ReadModelStore, id = 'a') => (await store.get(notes, id))?.doc.text;
  const inDatabase = async <T>(act: (collection: (name: string) => ReturnType<typeof documents>) => Promise<T>) => {
    const client = new MongoClient(url());
    try {
      return await act((name) => documents(client, name));
    } finally {
      await client.close();
    }
  };
  const documents = (client: MongoClient, name: string) =>
    client.db().collection<Document & { readonly _id: string }>(name);

  /** Runs a test on a store by way of a link, after a first commit. */
  const behindLink = async (act: (own: ReadModelStore, over: Link) => Promise<void>): Promise<void> => {
    const over = await openLink(url());
    link = over;
    const own = leased(openMongoReadModels({ url: over.urlOf(url()) }));
    try {
      await own.prepare(projection);
      await own.commit(projection, [write('before'), write('before', 'b')], at('1'));
      await act(own, over);
    } finally {
      over.release();
      await own.close();
    }
  };

  const kinds = [
    ['documents and checkpoint', at('2')],
    ['a part of an event', at('1', { isBetween: true })],
  ] as const;
  for (const [what, checkpoint] of kinds) {
    it(`is nothing, of one that has lost its lease: ${what}`, async () => {
      // Given a process that was stopped for so long that another has taken the lease
      const late = await holder();
      await late.commit(projection, [write('before')], at('1'));
      const other = await takenOver();

      // When it writes the rest of its batch
      const outcome = await rejectionOf(late.commit(projection, [write('late')], checkpoint));

      // Then
      expect(outcome).to.be.instanceOf(LeaseLostError);
      expect(await text(other)).to.equal('before');
      expect(await other.checkpointOf(projection.name)).to.deep.equal(at('1'));
      // And the other process goes on
      await other.commit(projection, [write('after')], at('3'));
      expect(await text(other)).to.equal('after');
    });

    it(`is nothing, of one whose transaction was open when another began: ${what}`, () =>
      behindLink(async (late, over) => {
        // Given a transaction whose documents have arrived, and whose commit has not
        const held = over.holdFrom(isCommit);
        const committing = rejectionOf(late.commit(projection, [write('late'), write(null, 'b')], checkpoint));
        await held;

        // When another process takes over without waiting for it, and the commit arrives
        const other = await takenOver();
        await other.commit(projection, [write('after')], at('3'));
        over.release();

        // Then
        expect(await committing).to.be.instanceOf(Error);
        expect([await text(other), await text(other, 'b')]).to.deep.equal(['after', 'before']);
        expect(await other.checkpointOf(projection.name)).to.deep.equal(at('3'));
        expect(await rejectionOf(late.commit(projection, [write('late')], checkpoint))).to.be.instanceOf(
          LeaseLostError,
        );
        expect(await text(other)).to.equal('after');
      }));
  }

  it('is nothing, of a reset by one that has lost its lease', async () => {
    const late = await holder();
    await late.commit(projection, [write('before')], at('1'));
    const other = await takenOver();
    expect(await rejectionOf(late.reset(projection))).to.be.instanceOf(LeaseLostError);
    expect(await rejectionOf(late.prepare(projection))).to.be.instanceOf(LeaseLostError);
    expect(await text(other)).to.equal('before');
    expect(await other.prepare(projection)).to.deep.equal(at('1'));
  });

  it('is known to be stored though the first answer was lost', () =>
    behindLink(async (own, over) => {
      const arrived = over.muteFrom(isCommit);
      const committing = own.commit(projection, [write('landed')], at('2'));
      await arrived;
      const beside = open();
      await eventually('the server has it', async () => (await beside.checkpointOf(projection.name))?.position === '2');
      over.cut();
      await committing;
      await own.commit(projection, [write('next')], at('3'));
      expect(await text(beside)).to.equal('next');
    }));

  it('is found by a process that begins again, where it landed and the answer was lost', () =>
    behindLink(async (own, over) => {
      // Given a commit that the server has carried out without an answer
      const arrived = over.muteFrom(isCommit);
      const committing = rejectionOf(own.commit(projection, [write('landed')], at('2')));
      await arrived;
      expect(await committing).to.match(/MongoDB does not answer/);

      // Then nothing can be committed after it until the checkpoint is read again
      over.cut();
      expect(await rejectionOf(own.commit(projection, [write('blind')], at('2')))).to.be.instanceOf(LeaseLostError);
      const prepared = eventually('it begins again', async () => {
        expect(await own.prepare(projection)).to.deep.equal(at('2'));
        return true;
      });
      await prepared;
      expect(await text(own)).to.equal('landed');
      await own.commit(projection, [write('next')], at('3'));
      expect(await text(own)).to.equal('next');
    })).timeout(2 * GIVEN_UP_MS);

  it('is nothing, where one of its documents was thought to be new and is there', async () => {
    const store = await holder();
    await store.commit(projection, [write('there')], at('1'));
    const writes = [write('more', 'b'), { ...write('new'), isNew: true }];
    expect(await rejectionOf(store.commit(projection, writes, at('2')))).to.match(/duplicate key/);
    expect(await store.prepare(projection)).to.deep.equal(at('1'));
    expect([await text(store), await text(store, 'b')]).to.deep.equal(['there', undefined]);
    await store.commit(projection, [write('new')], at('2'));
    expect(await text(store)).to.equal('new');
  });

  it('leaves nothing of a document that is deleted', async () => {
    const store = await holder();
    await store.commit(projection, [write('there')], at('3'));
    await store.commit(projection, [write(null)], at('5'));
    const left = await inDatabase((collection) => collection(notes.name).countDocuments());
    expect(left).to.equal(0);
  });

  it('drops what an older version has stored, which is built anew', async () => {
    // Given a database of the version in which documents held their positions
    await inDatabase(async (collection) => {
      await collection('projections').insertOne({
        _id: projection.name,
        definition: '{"version":1}',
        collections: [notes.name],
        position: '5',
        log: 'l',
        holder: null,
        fence: 7,
      });
      await collection(notes.name).insertMany([
        { _id: 'a', position: '5', doc: { text: 'old' } },
        { _id: 'gone', position: '4', deletedAt: new Date() },
      ]);
    });

    // When
    const store = open();
    await takesLease(store);
    expect(await store.checkpointOf(projection.name)).to.equal(undefined);
    expect(await store.prepare(projection)).to.equal(undefined);
    await store.commit(projection, [{ ...write('new'), isNew: true }], at('1'));

    // Then
    expect((await store.find(notes, { filter: {} })).map(({ id, doc }) => [id, doc.text])).to.deep.equal([
      ['a', 'new'],
    ]);
  });
});
