import { expect } from 'chai';
import { Absence } from '../src/absence.ts';
import { UnitOfWork } from '../src/unit-of-work.ts';
import { defineCollection, type ReadModelStore } from '../src/read-models/port.ts';
import { openMemoryReadModels } from './memory-stores.ts';

const things = defineCollection<{ number: number }>({ name: 'things', partition: 'id', indexes: [] });
const notes = defineCollection<{ owner: string; kind: string }>({
  name: 'notes',
  partition: 'owner',
  indexes: [['owner', 'kind']],
});
const note = { owner: 'ann', kind: 'long' };

describe('A unit of work', () => {
  it('finds by a column that no index begins with, though it starts from nothing', async () => {
    const documents = new UnitOfWork(openMemoryReadModels(), new Absence());
    documents.put(notes, 'a', note);
    expect(await documents.find(notes, 'kind', 'long')).to.deep.equal([{ id: 'a', doc: note }]);
    expect(await documents.find(notes, 'owner', 'ann')).to.deep.equal([{ id: 'a', doc: note }]);
  });

  it('reads at once what handlers are going to read, without their effects', async () => {
    const readModels = openMemoryReadModels();
    const projection = { name: 'notes', version: 1, collections: [notes] };
    await readModels.prepare(projection);
    const stored = ['a', 'b'].map((id) => ({ collection: notes, id, doc: note, position: '1' }));
    await readModels.commit(projection, stored, undefined);
    let reads = 0;
    const counting: ReadModelStore = {
      ...readModels,
      get: (collection, id) => {
        reads++;
        return readModels.get(collection, id);
      },
    };

    const documents = new UnitOfWork(counting);
    documents.position = '2';
    const copyOf = (id: string) => async () => {
      const doc = await documents.get(notes, id);
      documents.put(notes, `copy-of-${id}`, doc ?? note);
      if (!doc) throw new Error('There is nothing');
    };
    const handlers = ['a', 'b', 'none'].map(copyOf);
    const nothing = () => Promise.resolve();
    expect(await documents.rehearse([nothing, ...handlers])).to.deep.equal(handlers);
    expect(documents.take([notes])).to.deep.equal([]);
    expect([await documents.get(notes, 'a'), await documents.get(notes, 'none')]).to.deep.equal([
      note,
      undefined,
    ]);
    expect(reads).to.equal(0);
    expect(await documents.rehearse(handlers)).to.deep.equal([]);
  });

  it('tells of what it deletes in which partition it was, where it knows', async () => {
    const readModels = openMemoryReadModels();
    const projection = { name: 'notes', version: 1, collections: [notes] };
    await readModels.prepare(projection);
    const stored = ['a', 'b'].map((id) => ({ collection: notes, id, doc: note, position: '1' }));
    await readModels.commit(projection, stored, undefined);

    const documents = new UnitOfWork(readModels);
    const deletions = () => documents.take([notes]).map(({ id, doc, partition }) => [id, doc, partition]);
    documents.position = '2';
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
    documents.position = '3';
    documents.remove(notes, 'a');
    expect(deletions()).to.deep.equal([['a', null, 'ann']]);
  });
});

describe('A long fold', () => {
  it('lets the event loop go in between, though the store answers at once', async () => {
    const documents = new UnitOfWork(openMemoryReadModels());
    let turns = 0;
    let isFolding = true;
    const turn = () => {
      turns++;
      if (isFolding) setImmediate(turn);
    };
    setImmediate(turn);

    const until = performance.now() + 200;
    while (performance.now() < until) await documents.get(things, 'one');
    isFolding = false;
    expect(turns).to.be.greaterThan(5);
  });
});
