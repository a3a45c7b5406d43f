import { expect } from 'chai';
import { defineCollection, type ReadModelStore } from '../../src/read-models/port.ts';
import { withChangeTracking } from '../../src/read-models/change-tracking.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';

const notes = defineCollection<{ readonly owner: string }>({ name: 'notes', partition: 'owner', indexes: [['owner']] });
const labels = defineCollection({ name: 'labels', partition: 'id', indexes: [] });
const projection = { name: 'notes', version: 1, collections: [notes, labels] };
const checkpoint = checkpointAt('1');
const note = (id: string, owner: string | null) => ({ collection: notes, id, doc: owner === null ? null : { owner } });

describe('What others can see changed', () => {
  const open = async () => {
    const noted = withChangeTracking(openMemoryReadModels());
    await noted.store.prepare(projection);
    return noted;
  };

  it('is all at first: nothing was told before', async () => {
    const { drain: take } = await open();
    expect(take()).to.equal('all');
    expect(take()).to.deep.equal(new Map());
  });

  it('is told with its partition once it was stored', async () => {
    const { store: noting, drain: take } = await open();
    take();
    const known = { ...note('c', null), partition: 'ann' };
    await noting.commit(projection, [note('a', 'ann'), note('b', null), known], checkpoint);
    const touched = [
      { id: 'a', partition: 'ann' },
      { id: 'b', partition: null },
      { id: 'c', partition: 'ann' },
    ];
    expect(take()).to.deep.equal(new Map([['notes', touched]]));
    expect(take()).to.deep.equal(new Map());
  });

  it('is all of a collection when there is too much of it to tell one by one, and no more than that', async () => {
    const { store: noting, drain: take } = await open();
    take();
    const writes = Array.from({ length: 5_000 }, (_, number) => note(`n${number}`, 'ann'));
    const label = { collection: labels, id: 'x', doc: {} };
    await noting.commit(projection, [...writes, label], checkpoint);
    expect(take()).to.deep.equal(
      new Map<string, unknown>([
        ['notes', 'all'],
        ['labels', [{ id: 'x', partition: 'x' }]],
      ]),
    );
  });

  it('is all of a collection when many commits together come to too much', async () => {
    const { store: noting, drain: take } = await open();
    take();
    for (let commit = 0; commit < 5; commit++) {
      const writes = Array.from({ length: 400 }, (_, number) => note(`n${commit}-${number}`, 'ann'));
      await noting.commit(projection, writes, checkpoint);
    }
    expect(take()).to.deep.equal(new Map([['notes', 'all']]));
  });

  for (const [how, empty] of [
    ['begun anew', (store: ReadModelStore) => store.reset(projection)],
    ['prepared and has nothing', (store: ReadModelStore) => store.prepare(projection)],
  ] as const)
    it(`is that a projection is emptied that is ${how}`, async () => {
      const { store: noting, drain: take } = await open();
      take();
      await empty(noting);
      expect(take()).to.deep.equal(
        new Map([
          ['notes', 'emptied'],
          ['labels', 'emptied'],
        ]),
      );
    });
});
