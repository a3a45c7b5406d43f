import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { viewOf } from '../../projections/parts/view.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { UnitOfWork } from '../../src/unit-of-work.ts';
import { openMemoryReadModels } from '../memory-stores.ts';

interface Note {
  readonly owner: string;
  readonly shown: string;
}
const notes = defineCollection<Note>({ name: 'notes', partition: 'owner', indexes: [['owner']] });
const ids = ['a', 'b', 'c'];

describe('A view', () => {
  it('has all documents that it refreshes look things up at once, and stores them one after another', async () => {
    let [asking, most] = [0, 0];
    const told: unknown[] = [];
    const view = viewOf<string, Note>({
      collection: notes,
      ownOf: ({ owner }) => owner,
      async render(id, owner) {
        most = Math.max(most, ++asking);
        await setImmediate();
        asking--;
        return { owner, shown: `${id} as it is` };
      },
      rendered(before, after) {
        told.push([before?.shown, after?.shown]);
        return setImmediate();
      },
    });
    const readModels = openMemoryReadModels();
    await readModels.prepare({ name: 'notes', version: 1, collections: [notes] });
    const documents = new UnitOfWork(readModels, 100);
    for (const id of ids) documents.put(notes, id, { owner: 'ann', shown: `${id} as it was` });
    await view.refreshAll('owner', 'ann', documents);
    expect(most).to.equal(ids.length);
    expect(told).to.deep.equal(ids.map((id) => [`${id} as it was`, `${id} as it is`]));
  });
});
