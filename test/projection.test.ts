import { expect } from 'chai';
import { Absence } from '../src/absence.ts';
import { rehearse } from '../src/rehearsal.ts';
import type { Documents } from '../src/projection.ts';
import { TooLarge, UnitOfWork } from '../src/unit-of-work.ts';
import { defineCollection, type ReadModelStore } from '../src/read-models/port.ts';
import { checkpointAt } from './checkpoints.ts';
import { openMemoryReadModels } from './memory-stores.ts';

const notes = defineCollection<{ owner: string; kind: string }>({
  name: 'notes',
  partition: 'owner',
  indexes: [['owner', 'kind']],
});
const note = { owner: 'ann', kind: 'long' };

describe('A unit of work', () => {
  it('finds by a column that no index begins with, though it starts from nothing', async () => {
    const documents = new UnitOfWork(openMemoryReadModels(), 100, new Absence());
    documents.put(notes, 'a', note);
    expect(await documents.ids(notes, 'kind', 'long')).to.deep.equal(['a']);
    expect(await documents.ids(notes, 'owner', 'ann')).to.deep.equal(['a']);
  });

  it('reads at once what handlers are going to read, without their effects', async () => {
    const readModels = openMemoryReadModels();
    const projection = { name: 'notes', version: 1, collections: [notes] };
    await readModels.prepare(projection);
    const stored = ['a', 'b'].map((id) => ({ collection: notes, id, doc: note }));
    await readModels.commit(projection, stored, checkpointAt('1'));
    let reads = 0;
    const counting: ReadModelStore = {
      ...readModels,
      get: (collection, id) => {
        reads++;
        return readModels.get(collection, id);
      },
    };

    const documents = new UnitOfWork(counting, 100);
    const copyOf = (id: string) => async (on: Documents) => {
      const doc = await on.get(notes, id);
      on.put(notes, `copy-of-${id}`, doc ?? note);
      if (!doc) throw new Error('There is nothing');
    };
    const handlers = ['a', 'b', 'none'].map(copyOf);
    const nothing = () => Promise.resolve();
    expect(await rehearse(documents, [nothing, ...handlers])).to.deep.equal(handlers);
    expect(documents.take()).to.deep.equal([]);
    expect([await documents.get(notes, 'a'), await documents.get(notes, 'none')]).to.deep.equal([
      note,
      undefined,
    ]);
    expect(reads).to.equal(0);
    expect(await rehearse(documents, handlers)).to.deep.equal([]);
  });

  it('tells of what it deletes in which partition it was, where it knows', async () => {
    const readModels = openMemoryReadModels();
    const projection = { name: 'notes', version: 1, collections: [notes] };
    await readModels.prepare(projection);
    const stored = ['a', 'b'].map((id) => ({ collection: notes, id, doc: note }));
    await readModels.commit(projection, stored, checkpointAt('1'));

    const documents = new UnitOfWork(readModels, 100);
    const deletions = () => documents.take().map(({ id, doc, partition }) => [id, doc, partition]);
    await documents.get(notes, 'a');
    documents.remove(notes, 'a');
    documents.remove(notes, 'b');
    documents.put(notes, 'c', note);
    documents.remove(notes, 'c');
    documents.remove(notes, 'c');
    const expected = [
      ['a', null, 'ann'],
      ['b', null, undefined],
      ['c', null, 'ann'],
    ];
    expect(deletions()).to.deep.equal(expected);
    documents.stored();
    documents.remove(notes, 'a');
    expect(deletions()).to.deep.equal([['a', null, 'ann']]);
  });
});

describe('A handler that touches very many documents', () => {
  const things = defineCollection<{ owner: string; number: number }>({
    name: 'things',
    partition: 'owner',
    indexes: [['owner']],
  });
  const projection = { name: 'things', version: 1, collections: [things] };
  const idsOf = (count: number) => Array.from({ length: count }, (_, number) => `t${number}`);
  const withThings = async (count: number) => {
    const readModels = openMemoryReadModels();
    await readModels.prepare(projection);
    const doc = { owner: 'ann', number: 0 };
    await readModels.commit(
      projection,
      idsOf(count).map((id) => ({ collection: things, id, doc })),
      checkpointAt('1'),
    );
    return readModels;
  };
  /** Numbers all things anew, and puts one of its own. */
  const number = (documents: UnitOfWork) => async () => {
    documents.put(things, 'own', { owner: 'the event', number: 0 });
    for await (const page of documents.pages(things, 'owner', 'ann'))
      for (const { id, doc } of page) documents.put(things, id, { ...doc, number: doc.number + 1 });
  };

  it('is refused as a whole, with nothing changed', async () => {
    const documents = new UnitOfWork(await withThings(1_200), 500);
    const outcome = await documents.attempt(number(documents)).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(TooLarge);
    expect(documents.size).to.equal(0);
  });

  it('stores what it renders in parts, and its own documents in none of them', async () => {
    const documents = new UnitOfWork(await withThings(1_200), 500);
    const parts: string[][] = [];
    await documents.attempt(number(documents), (writes) => {
      parts.push(writes.map(({ id }) => id));
      return Promise.resolve(true);
    });
    expect(parts.map(({ length }) => length)).to.deep.equal([500, 500]);
    const left = documents.take().map(({ id }) => id);
    expect(left).to.have.length(201).and.to.include('own');
    expect([...parts.flat(), ...left].sort()).to.deep.equal(['own', ...idsOf(1_200)].sort());
  });

  it('can be tried with parts that are stored nowhere', async () => {
    const documents = new UnitOfWork(await withThings(1_200), 500);
    await documents.attempt(number(documents), () => Promise.resolve(false));
    documents.undo();
    expect(documents.size).to.equal(0);
    expect(await documents.get(things, 't0')).to.deep.equal({ owner: 'ann', number: 0 });
  });

  it('lets the event loop go in between, though the store answers at once', async () => {
    const documents = new UnitOfWork(await withThings(5_000), 10_000);
    let turns = 0;
    let isRunning = true;
    const turn = () => {
      turns++;
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);
    await documents.attempt(number(documents));
    isRunning = false;
    expect(turns).to.be.greaterThan(5);
  });
});
