import { expect } from 'chai';
import { createRowWriter } from '../../projections/parts/rows.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { StoreDocumentSource } from '../../src/projector/document-source.ts';
import { DocumentUnitOfWork } from '../../src/projector/document-unit-of-work.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';

interface Note {
  readonly owner: string;
  readonly shown: string;
}
const notes = defineCollection<Note>({ name: 'notes', partition: 'owner', indexes: [['owner']] });
const ids = ['a', 'b', 'c'];

describe('Rendered rows', () => {
  it('are rendered anew where they show something, and counted as they were and as they are', async () => {
    // Given
    const told: unknown[] = [];
    const rows = createRowWriter<string, Note>({
      collection: notes,
      ownOf: ({ owner }) => owner,
      render: (id, owner) => ({ owner, shown: `${id} as it is` }),
      count: (before, after) => told.push([before?.shown, after?.shown]),
    });
    const documents = new DocumentUnitOfWork(new StoreDocumentSource(openMemoryReadModels()));
    for (const id of ids) documents.put(notes, id, { owner: 'ann', shown: `${id} as it was` });
    await documents.readFor([() => void documents.ids(notes, 'owner', 'ann')]);

    // When
    expect(documents.tryHandling(() => rows.refreshBy('owner')('ann', documents))).to.equal('done');

    // Then
    expect(told).to.deep.equal(ids.map((id) => [`${id} as it was`, `${id} as it is`]));
  });
});
