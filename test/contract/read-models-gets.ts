import { expect } from 'chai';
import { checkpointAt } from '../support/checkpoints.ts';
import { defineCollection, type ReadModelStore, type DocumentWrite } from '../../src/read-models/port.ts';

interface Label {
  readonly owner: string;
  readonly text: string;
}
const labels = defineCollection<Label>({ name: 'contract_labels', partition: 'owner', indexes: [] });
const projection = { name: 'contract-labels', version: 1, collections: [labels] };
const at = checkpointAt('1');
const label = (text: string): Label => ({ owner: 'o', text });
const write = (id: string, doc: Label | null): DocumentWrite => ({ collection: labels, id, doc });

/** The part of the read models contract about reading documents by id. */
export const getContract = (current: () => ReadModelStore): void => {
  describe('get', () => {
    beforeEach(async () => {
      await current().prepare(projection);
      await current().reset(projection);
    });

    it('gives each what it asks for when many ask at once', async () => {
      const writes = [write('a', label('one')), write('b', label('two')), write('gone', null)];
      await current().commit(projection, writes, at);
      const asked = ['b', 'a', 'none', 'b', 'gone'];
      const found = await Promise.all(asked.map((id) => current().get(labels, id)));
      expect(found.map((each) => each?.doc)).to.deep.equal([
        label('two'),
        label('one'),
        undefined,
        label('two'),
        undefined,
      ]);
    });
  });
};
