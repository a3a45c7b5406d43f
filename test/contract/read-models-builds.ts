import { expect } from 'chai';
import { checkpointAt } from '../support/checkpoints.ts';
import { defineCollection, type ReadModelStore, type DocumentWrite } from '../../src/read-models/port.ts';

const pages = defineCollection<{ readonly text: string }>({ name: 'contract_pages', partition: 'id', indexes: [] });
const others = { ...pages, name: 'contract_other_pages' };
const projection = { name: 'contract-pages', version: 1, collections: [pages] };
const neighbour = { name: 'contract-other-pages', version: 1, collections: [others] };
const at = checkpointAt;
const write = (id: string, collection = pages): DocumentWrite => ({ collection, id, doc: { text: id } });

/** The part of the contract that building beside the active build needs. */
export const buildsContract = (current: () => ReadModelStore): void => {
  describe('checkpointOf, scan and drop', () => {
    beforeEach(async () => {
      for (const each of [projection, neighbour]) {
        await current().prepare(each);
        await current().reset(each);
      }
    });

    it('give the checkpoint of a projection by its name, and none before there is one', async () => {
      expect(await current().checkpointOf('contract-nobody')).to.equal(undefined);
      expect(await current().checkpointOf(projection.name)).to.equal(undefined);
      await current().commit(projection, [], at('5'));
      expect(await current().checkpointOf(projection.name)).to.deep.equal(at('5'));
    });

    it('say whether a part of a later event is in the documents', async () => {
      const isBetween = async () => (await current().checkpointOf(projection.name))?.isBetween;
      await current().commit(projection, [write('a')], at('5'));
      await current().commit(projection, [write('b')], at('5', { isBetween: true }));
      expect((await current().get(pages, 'b'))?.doc).to.deep.equal({ text: 'b' });
      expect(await isBetween()).to.equal(true);
      // The same holds for a writer that begins again there.
      expect(await current().prepare(projection)).to.deep.equal(at('5', { isBetween: true }));
      expect(await isBetween()).to.equal(true);
      await current().commit(projection, [write('b')], at('6'));
      expect(await isBetween()).to.equal(false);
    });

    it('give documents in the order of their ids by code point, page after page', async () => {
      const ids = ['b', '😀', 'a', 'é', '\uffee', 'Z', 'a/b'];
      await current().commit(
        projection,
        ids.map((id) => write(id)),
        at('5'),
      );
      const read: string[] = [];
      for (let after = ''; ;) {
        const page = await current().scan(pages, after, 2);
        expect(page.length).to.be.at.most(2);
        for (const { id, text } of page) {
          expect({ id, doc: JSON.parse(text) as unknown }).to.deep.equal(await current().get(pages, id));
          read.push(id);
        }
        const last = page.at(-1);
        if (!last) break;
        after = last.id;
      }
      expect(read).to.deep.equal(['Z', 'a', 'a/b', 'b', 'é', '\uffee', '😀']);
    });

    it('drop documents and checkpoint, of one projection alone, and take it when there is nothing', async () => {
      await current().commit(projection, [write('a')], at('5'));
      await current().commit(neighbour, [write('b', others)], at('6'));
      await current().drop(projection.name);
      await current().drop(projection.name);
      expect(await current().checkpointOf(projection.name)).to.equal(undefined);
      expect(await current().prepare(projection)).to.equal(undefined);
      expect(await current().count(pages, {})).to.equal(0);
      expect((await current().checkpointOf(neighbour.name))?.position).to.equal('6');
      expect((await current().get(others, 'b'))?.doc).to.deep.equal({ text: 'b' });
    });
  });
};
