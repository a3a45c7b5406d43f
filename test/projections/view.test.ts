import { expect } from 'chai';
import { viewOf } from '../../projections/parts/view.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { UnitOfWork } from '../../src/projector/unit-of-work.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';

interface Note {
  readonly owner: string;
  readonly shown: string;
}
const notes = defineCollection<Note>({ name: 'notes', partition: 'owner', indexes: [['owner']] });
const ids = ['a', 'b', 'c'];

describe('A view', () => {
  it('renders anew all documents that show something, and tells of each as it was and as it is', async () => {
    // Given
    const told: unknown[] = [];
    const view = viewOf<string, Note>({
      collection: notes,
      ownOf: ({ owner }) => owner,
      render: (id, owner) => ({ owner, shown: `${id} as it is` }),
      rendered: (before, after) => told.push([before?.shown, after?.shown]),
    });
    const documents = new UnitOfWork(openMemoryReadModels(), 100);
    for (const id of ids) documents.put(notes, id, { owner: 'ann', shown: `${id} as it was` });
    await documents.readFor([() => void documents.ids(notes, 'owner', 'ann')]);

    // When
    expect(documents.attempt(() => view.refreshAll('owner', 'ann', documents))).to.equal('done');

    // Then
    expect(told).to.deep.equal(ids.map((id) => [`${id} as it was`, `${id} as it is`]));
  });
});
