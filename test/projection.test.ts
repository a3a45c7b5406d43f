import { expect } from 'chai';
import { Absence } from '../src/absence.ts';
import { UnitOfWork } from '../src/unit-of-work.ts';
import { defineCollection } from '../src/read-models/port.ts';
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
