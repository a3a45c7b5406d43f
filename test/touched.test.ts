import { expect } from 'chai';
import { defineCollection } from '../src/read-models/port.ts';
import { noteTouched } from '../src/read-models/touched.ts';
import { openMemoryReadModels } from './memory-stores.ts';

const notes = defineCollection<{ readonly owner: string }>({
  name: 'notes',
  partition: 'owner',
  indexes: [['owner']],
});
const projection = { name: 'notes', version: 1, collections: [notes] };
const checkpoint = { position: '1', log: 'l' };
const note = (id: string, owner: string | null) => ({
  collection: notes,
  id,
  doc: owner === null ? null : { owner },
  position: '1',
});

describe('What others can see changed', () => {
  const open = async () => {
    const noted = noteTouched(openMemoryReadModels());
    await noted.noting.prepare(projection);
    return noted;
  };

  it('is all at first: nothing was told before', async () => {
    const { take } = await open();
    expect(take()).to.equal('all');
    expect(take()).to.deep.equal([]);
  });

  it('is told with its partition once it was flushed, and not before', async () => {
    const { noting, take } = await open();
    take();
    const known = { ...note('c', null), partition: 'ann' };
    await noting.commit(projection, [note('a', 'ann'), note('b', null), known], checkpoint);
    expect(take()).to.deep.equal([]);
    await noting.flush();
    expect(take()).to.deep.equal([
      { collection: 'notes', id: 'a', partition: 'ann' },
      { collection: 'notes', id: 'b', partition: null },
      { collection: 'notes', id: 'c', partition: 'ann' },
    ]);
    expect(take()).to.deep.equal([]);
  });

  it('is all when there is too much to tell one by one', async () => {
    const { noting, take } = await open();
    take();
    const writes = Array.from({ length: 5_000 }, (_, number) => note(`n${number}`, 'ann'));
    await noting.commit(projection, writes, checkpoint);
    await noting.flush();
    expect(take()).to.equal('all');
  });
});
