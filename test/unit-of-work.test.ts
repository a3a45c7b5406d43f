import { expect } from 'chai';
import { defineCollection } from '../src/read-models/port.ts';
import { UnitOfWork } from '../src/unit-of-work.ts';

const rows = defineCollection<{ readonly owner: string }>({
  name: 'rows',
  partition: 'id',
  indexes: [['owner']],
});

describe('A unit of work', () => {
  it('finds what was stored while the store, which did not have it yet, answers', async () => {
    // Given a document that is being stored
    let answer: (ids: string[]) => void = () => undefined;
    const documents = new UnitOfWork(
      { get: () => Promise.resolve(undefined), ids: () => new Promise((resolve) => (answer = resolve)) },
      10,
    );
    documents.put(rows, 'a', { owner: 'o' });
    documents.take();

    // When it is stored before an earlier answer comes
    const found = documents.ids(rows, 'owner', 'o');
    documents.stored();
    answer([]);

    // Then
    expect(await found).to.deep.equal(['a']);
  });
});
