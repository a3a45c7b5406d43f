import { expect } from 'chai';
import { START_POSITION } from '../../src/event-store/port.ts';
import { canonicalJson, type JsonObject } from '../../src/schema/json.ts';
import { createRowEncoder } from '../../src/read-models/columns.ts';
import {
  DuplicateInsertError,
  defineCollection,
  type ReadModelStore,
  type DocumentWrite,
} from '../../src/read-models/port.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { buildsContract } from './read-models-builds.ts';
import { findContract } from './read-models-finds.ts';
import { getContract } from './read-models-gets.ts';
import { rejectionOf } from '../support/refusal-of.ts';

export interface OpenedReadModels {
  readonly readModels: ReadModelStore;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<ReadModelStore>;
  /** Closes whichever store is open and removes the data. */
  close(): Promise<void>;
}

interface Note {
  readonly owner: string;
  readonly content: JsonObject;
}
const notes = defineCollection<Note>({ name: 'contract_notes', partition: 'owner', indexes: [['owner']] });
const tags = defineCollection<Note>({ name: 'contract_tags', partition: 'owner', indexes: [] });
const others = defineCollection<Note>({ name: 'contract_others', partition: 'owner', indexes: [] });
const projection = { name: 'contract', version: 1, collections: [notes, tags] };
const neighbour = { name: 'contract-neighbour', version: 1, collections: [others] };

const at = checkpointAt;
const note = (text: string): Note => ({ owner: 'o', content: { text } });
const write = (id: string, doc: Note | null, collection = notes): DocumentWrite => ({ collection, id, doc });

/**
 * The contract of every store of read models.
 *
 * @param name of the adapter
 * @param open opens a store that holds none of the suite's projections
 */
export const readModelsContract = (name: string, open: () => Promise<OpenedReadModels>): void => {
  describe(`read models contract: ${name}`, () => {
    let opened: OpenedReadModels;
    let store: ReadModelStore;
    before(async () => {
      opened = await open();
      store = opened.readModels;
    });
    beforeEach(async () => {
      for (const each of [projection, neighbour]) {
        await store.prepare(each);
        await store.reset(each);
      }
    });
    after(() => opened.close());

    describe('prepare', () => {
      it('says that a new projection starts from nothing, until a checkpoint is committed', async () => {
        expect(await store.prepare(projection)).to.equal(undefined);
        expect(await store.prepare(projection)).to.equal(undefined);
        await store.commit(projection, [], at('5'));
        expect(await store.prepare(projection)).to.deep.equal(at('5'));
      });

      it('gives the last checkpoint, whole', async () => {
        const parked = {
          stream: 'office-a',
          revision: 1,
          position: '7',
          event: 'e7',
          type: 'OfficeRecorded',
          error: 'a bug',
          stack: 'Error: a bug',
          at: '2026-03-01T09:30:00.000Z',
          release: 2,
          underWay: 3,
        };
        const building = { upTo: '9', group: 'here' };
        const whole = at('9', { passed: { position: '8', id: 'p' }, building, parked: [parked], isBuilt: false });
        await store.commit(projection, [write('a', note('one'))], at('5'));
        await store.commit(projection, [], whole);
        expect(await store.prepare(projection)).to.deep.equal(whole);
        expect((await store.get(notes, 'a'))?.doc).to.deep.equal(note('one'));
      });

      const changes = {
        'another version': { ...projection, version: 2 },
        'a collection more': { ...projection, collections: [notes, tags, { ...others, name: 'contract_added' }] },
        'another partition': { ...projection, collections: [{ ...notes, partition: 'id' }, tags] },
        'another index': { ...projection, collections: [{ ...notes, indexes: [['owner', 'id']] }, tags] },
      };
      for (const [what, changed] of Object.entries(changes)) {
        it(`drops what was stored when there is ${what}`, async () => {
          await store.commit(projection, [write('a', note('one')), write('a', note('one'), tags)], at('5'));
          expect(await store.prepare(changed)).to.equal(undefined);
          expect(await store.count(notes, {})).to.equal(0);
          expect(await store.count(tags, {})).to.equal(0);
          await store.commit(changed, [write('b', note('two'))], at('2'));
          expect(await store.prepare(changed)).to.deep.equal(at('2'));
          expect((await store.find(notes, { filter: {} })).map(({ id }) => id)).to.deep.equal(['b']);
        });
      }

      it('drops the collections that a projection no longer has', async () => {
        await store.commit(projection, [write('a', note('one'), tags)], at('5'));
        await store.prepare({ ...projection, collections: [notes] });
        await store.prepare(projection);
        expect(await store.get(tags, 'a')).to.equal(undefined);
      });

      for (const isFirst of [true, false])
        it(`empties a collection that moved here from another projection, prepared ${isFirst ? 'before' : 'after'} it`, async () => {
          await store.commit(projection, [write('a', note('one'), tags)], at('5'));
          const from = { ...projection, collections: [notes] };
          const to = { ...neighbour, collections: [others, tags] };
          for (const each of isFirst ? [to, from] : [from, to]) expect(await store.prepare(each)).to.equal(undefined);
          expect(await store.count(tags, {})).to.equal(0);
          await store.commit(to, [write('b', note('two'), tags)], at('1'));
          expect((await store.find(tags, { filter: {} })).map(({ id }) => id)).to.deep.equal(['b']);
        });

      it('of one projection leaves another as it is', async () => {
        await store.commit(neighbour, [write('a', note('one'), others)], at('5'));
        await store.prepare({ ...projection, version: 2 });
        expect((await store.get(others, 'a'))?.doc).to.deep.equal(note('one'));
        expect(await store.prepare(neighbour)).to.deep.equal(at('5'));
      });
    });

    describe('reset', () => {
      it('drops documents and checkpoint', async () => {
        await store.commit(projection, [write('a', note('one'))], at('5'));
        await store.reset(projection);
        expect(await store.get(notes, 'a')).to.equal(undefined);
        expect(await store.prepare(projection)).to.equal(undefined);
      });

      it('leaves collections that can be written again', async () => {
        await store.commit(projection, [write('a', note('one'))], at('7'));
        await store.reset(projection);
        await store.commit(projection, [write('a', note('two'))], at('3'));
        expect(await store.get(notes, 'a')).to.deep.equal({ id: 'a', doc: note('two') });
      });
    });

    describe('commit', () => {
      it('stores documents of several collections, each with its position', async () => {
        await store.commit(projection, [write('a', note('one')), write('a', note('two'), tags)], at('5'));
        expect(await store.get(notes, 'a')).to.deep.equal({ id: 'a', doc: note('one') });
        expect(await store.get(tags, 'a')).to.deep.equal({ id: 'a', doc: note('two') });
      });

      it('replaces a document whole', async () => {
        await store.commit(projection, [write('a', { owner: 'o', content: { x: 1, y: 2 } })], at('1'));
        await store.commit(projection, [write('a', { owner: 'o', content: { y: 3 } })], at('2'));
        expect((await store.find(notes, { filter: {} })).map(({ doc }) => doc.content)).to.deep.equal([{ y: 3 }]);
      });

      it('deletes documents, and takes it when there is none', async () => {
        await store.commit(projection, [write('a', note('one')), write('b', note('two'))], at('1'));
        await store.commit(projection, [write('a', null), write('none', null)], at('2'));
        expect((await store.find(notes, { filter: {} })).map(({ id }) => id)).to.deep.equal(['b']);
        expect(await store.get(notes, 'a')).to.equal(undefined);
      });

      it('stores a document that was deleted before', async () => {
        await store.commit(projection, [write('a', note('one'))], at('1'));
        await store.commit(projection, [write('a', null)], at('2'));
        await store.commit(projection, [write('a', note('three'))], at('3'));
        expect(await store.get(notes, 'a')).to.deep.equal({ id: 'a', doc: note('three') });
      });

      it('keeps the old checkpoint when a document cannot be stored', async () => {
        await store.commit(projection, [write('a', note('one'))], at('1'));
        const circular: Record<string, JsonObject> = {};
        circular['self'] = circular;
        const writes = [write('a', { owner: 'o', content: circular })];
        const committed = (async () => store.commit(projection, writes, at('2')))();
        const [outcome] = await Promise.allSettled([committed]);
        expect(outcome.status).to.equal('rejected');
        expect(await store.prepare(projection)).to.deep.equal(at('1'));
        expect((await store.get(notes, 'a'))?.doc).to.deep.equal(note('one'));
      });

      it('stores a large batch', async () => {
        const writes = Array.from({ length: 2_000 }, (_, number) => write(`n${number}`, note(`${number}`)));
        await store.commit(projection, writes, at('1'));
        expect(await store.count(notes, { owner: 'o' })).to.equal(2_000);
      });
    });

    describe('insert', () => {
      const added = (...ids: string[]) => ({
        collection: notes.name,
        count: ids.length,
        values: ids.flatMap((id) => createRowEncoder(notes)({ id, doc: note(id) })),
      });
      const ids = async () => (await store.find(notes, { filter: { owner: 'o' } })).map(({ id }) => id).sort();
      const begun = at(START_POSITION, { building: { upTo: '9', group: 'g' }, isBuilt: false });

      it('stores documents with the next commit', async () => {
        const many = Array.from({ length: 100 }, (_, number) => `n${number}`);
        await store.insert(projection, [added(...many), added('a')]);
        await store.insert(projection, [added('b')]);
        await store.commit(projection, [write('c', note('c'))], at('5'));
        expect(await ids()).to.deep.equal(['a', 'b', 'c', ...many].sort());
        expect((await store.get(notes, 'n7'))?.doc).to.deep.equal(note('n7'));
      });

      it('stores nothing without a commit', async () => {
        await store.insert(projection, [added('a')]);
        await store.commit(projection, [], begun);
        await store.insert(projection, [added('b')]);
        expect(await store.prepare(projection)).to.deep.equal(begun);
        await store.commit(projection, [], at('9'));
        expect(await ids()).to.deep.equal(['a']);
      });

      it('refuses a document that is there, and all that comes with it', async () => {
        await store.insert(projection, [added('a')]);
        await store.commit(projection, [], begun);
        const again = async () => {
          await store.insert(projection, [added('b', 'a')]);
          await store.commit(projection, [], at('9'));
        };
        expect(await rejectionOf(again())).to.be.instanceOf(DuplicateInsertError);
        expect(await store.prepare(projection)).to.deep.equal(begun);
        await store.commit(projection, [], at('9'));
        expect(await ids()).to.deep.equal(['a']);
      });

      it('refuses two new documents of one id where others of the collection are written', async () => {
        const twice = async () => {
          await store.insert(projection, [added('a', 'b', 'a')]);
          await store.commit(projection, [write('c', note('c'))], begun);
        };
        expect(await rejectionOf(twice())).to.be.instanceOf(DuplicateInsertError);
      });
    });

    describe('documents', () => {
      const contents: Record<string, JsonObject> = {
        'text in any script': { text: 'Zoë 漢字 😀 \u2028 \u0000 "\\\'', 'ключ.$x': '' },
        'nested members and empty ones': { a: { b: [[], {}, [{ c: [null, true, false, ''] }]] } },
        'numbers to the edges': {
          numbers: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, Number.MIN_VALUE, 0.1, -1.5, 0],
        },
        'members named like those of every object': {
          constructor: 'c',
          toString: null,
          hasOwnProperty: { valueOf: 1 },
        },
        'a member named __proto__': JSON.parse('{"__proto__":{"polluted":[1]},"in":{"__proto__":null}}') as JsonObject,
      };
      for (const [what, content] of Object.entries(contents)) {
        it(`keep ${what}`, async () => {
          await store.commit(projection, [write('a', { owner: 'o', content })], at('1'));
          expect(canonicalJson((await store.get(notes, 'a'))?.doc.content)).to.equal(canonicalJson(content));
        });
      }

      for (const id of ['constructor', '__proto__', 'a/b', 'É😀', "it's", '%', ''])
        it(`are found under the id '${id}'`, async () => {
          await store.commit(projection, [write(id, note('one')), write('other', note('two'))], at('1'));
          expect((await store.get(notes, id))?.doc).to.deep.equal(note('one'));
        });

      it('and the checkpoint are there after the store was opened again', async () => {
        await store.commit(projection, [write('a', note('one')), write('b', note('two'))], at('6'));
        store = await opened.reopen();
        expect(await store.prepare(projection)).to.deep.equal(at('6'));
        const found = await store.find(notes, { filter: { owner: 'o' }, order: [['id', 'ascending']] });
        expect(found).to.deep.equal([
          { id: 'a', doc: note('one') },
          { id: 'b', doc: note('two') },
        ]);
      });
    });

    for (const more of [getContract, findContract, buildsContract]) more(() => store);
  });
};
