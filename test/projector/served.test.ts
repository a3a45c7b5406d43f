import { expect } from 'chai';
import { decodeDomainEvent } from '../../src/domain/index.ts';
import { servedReadModels } from '../../src/projector/build-projection.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { defineCollection, type ReadModels } from '../../src/read-models/port.ts';

const notes = defineCollection<{ readonly text: string }>({ name: 'notes', partition: 'id', indexes: [] });
const sums = defineCollection<{ readonly sum: number }>({ name: 'sums', partition: 'id', indexes: [] });
const strange = defineCollection<{ readonly text: string }>({ name: 'strange', partition: 'id', indexes: [] });
const lists: Projection = { name: 'lists', version: 1, collections: [notes], decode: decodeDomainEvent, handlers: {} };
const totals: Projection = { name: 'totals', version: 1, collections: [sums], decode: decodeDomainEvent, handlers: {} };

/** Empty read models, and the collections that queries asked for. */
const asked = (): { readonly readModels: ReadModels; readonly names: string[] } => {
  const names: string[] = [];
  const readModels: ReadModels = {
    get({ name }) {
      names.push(name);
      return Promise.resolve(undefined);
    },
    find({ name }) {
      names.push(name);
      return Promise.resolve([]);
    },
    count({ name }) {
      names.push(name);
      return Promise.resolve(0);
    },
  };
  return { readModels, names };
};

describe('The read models as they are served', () => {
  const ids = new Map([
    ['lists', 'lists@1.2'],
    ['totals', 'totals@3.1'],
  ]);

  it('are read from the collections of the builds that are served, whatever is asked', async () => {
    const { readModels, names } = asked();
    const served = servedReadModels(readModels, [lists, totals], ids);
    await served.get(notes, 'a');
    await served.find(notes, { filter: {} });
    await served.count(sums, {});
    expect(names).to.deep.equal(['notes_v1_2', 'notes_v1_2', 'sums_v3_1']);
  });

  it('stay those of the same builds for a request that has taken them', async () => {
    const { readModels, names } = asked();
    const before = servedReadModels(readModels, [lists], new Map([['lists', 'lists@1.1']]));
    const after = servedReadModels(readModels, [lists], new Map([['lists', 'lists@1.2']]));
    await after.get(notes, 'a');
    await before.get(notes, 'a');
    expect(names).to.deep.equal(['notes_v1_2', 'notes_v1_1']);
  });

  it('have no collection of a projection that is not served, or of none', () => {
    const served = servedReadModels(asked().readModels, [lists, totals], new Map([['lists', 'lists@1.2']]));
    for (const collection of [sums, strange])
      expect(() => served.get(collection as typeof sums, 'a')).to.throw(
        `No projection has the collection ${collection.name}`,
      );
  });
});
