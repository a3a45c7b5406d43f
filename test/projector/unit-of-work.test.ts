import { expect } from 'chai';
import { defineCollection, type ReadModelStore } from '../../src/read-models/port.ts';
import { StoreDocumentSource } from '../../src/projector/document-source.ts';
import { DocumentUnitOfWork } from '../../src/projector/document-unit-of-work.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';

interface Row {
  readonly owner: string;
  readonly number: number;
}
const rows = defineCollection<Row>({ name: 'rows', partition: 'owner', indexes: [['owner', 'number']] });
const row: Row = { owner: 'ann', number: 0 };
const idsOf = (count: number) => Array.from({ length: count }, (_, number) => `r${number}`);

const unitOfWork = (store: Pick<ReadModelStore, 'get' | 'ids' | 'atOnce'>, maxPart: number) =>
  new DocumentUnitOfWork(new StoreDocumentSource(store), {}, maxPart);

/** A store that has some rows, and counts its reads. */
const storeWith = async (ids: readonly string[]) => {
  const memory = openMemoryReadModels();
  const projection = { name: 'rows', version: 1, collections: [rows] };
  await memory.prepare(projection);
  await memory.commit(
    projection,
    ids.map((id) => ({ collection: rows, id, doc: row })),
    checkpointAt('1'),
  );
  let asked = 0;
  const readModels: ReadModelStore = {
    ...memory,
    get(...args) {
      asked++;
      return memory.get(...args);
    },
  };
  return { readModels, asked: () => asked };
};

describe('A unit of work', () => {
  it('runs a handler again once what it asked for is read, and only that counts', async () => {
    // Given a handler that writes one document from another
    const { readModels } = await storeWith(['a']);
    const documents = unitOfWork(readModels, 100);
    const copy = () => {
      const found = documents.get(rows, 'a');
      if (!found) throw new Error('There is nothing');
      documents.put(rows, 'copy', { ...found, number: 1 });
    };

    // When it runs before that is read
    expect(documents.tryHandling(copy)).to.equal('missing');
    expect(documents.size).to.equal(0);
    await documents.readFor([copy]);
    expect(documents.size).to.equal(0);

    // Then
    expect(documents.tryHandling(copy)).to.equal('done');
    expect(documents.beginCommit().map(({ id, doc }) => [id, doc])).to.deep.equal([['copy', { ...row, number: 1 }]]);
  });

  it('fails where a handler needs more documents than are kept, and asks for them again and again', async () => {
    const ids = idsOf(20_000);
    const { readModels } = await storeWith(ids);
    const documents = unitOfWork(readModels, 100);
    const all = () => ids.forEach((id) => documents.get(rows, id));
    const applied = async () => {
      while (documents.tryHandling(all) !== 'done') await documents.readFor([all]);
    };
    const failed = await applied().catch((error: unknown) => String(error));
    expect(failed).to.match(/more than are kept/);
  });

  it('reads at once what several handlers ask for', async () => {
    const { readModels, asked } = await storeWith(['a', 'b']);
    const documents = unitOfWork(readModels, 100);
    const handlers = ['a', 'b', 'none'].map((id) => () => void documents.get(rows, id));
    const read = documents.readFor(handlers);
    expect(asked()).to.equal(3);
    await read;
    for (const handle of handlers) expect(documents.tryHandling(handle)).to.equal('done');
    expect([documents.get(rows, 'a'), documents.get(rows, 'none')]).to.deep.equal([row, undefined]);
    expect(asked()).to.equal(3);
  });

  it('gives what a handler throws where nothing was missing, with nothing changed', async () => {
    const documents = unitOfWork((await storeWith([])).readModels, 100);
    const fail = () => {
      documents.put(rows, 'a', row);
      throw new Error('a bug');
    };
    expect(() => documents.tryHandling(fail)).to.throw('a bug');
    expect(documents.size).to.equal(0);
  });

  it('finds what was stored while the store, which did not have it yet, answers', async () => {
    // Given a document that is being stored
    const asked: (() => void)[] = [];
    const none = () => Promise.resolve(undefined);
    const ids = () => new Promise<string[]>((resolve) => asked.push(() => resolve([])));
    const documents = unitOfWork({ get: none, ids }, 10);
    documents.put(rows, 'a', row);
    documents.beginCommit();

    // When it is stored before an older answer arrives
    const find = () => void documents.ids(rows, 'owner', 'ann');
    const read = documents.readFor([find]);
    documents.endCommit();
    for (const answer of asked) answer();
    await read;

    // Then
    expect(documents.ids(rows, 'owner', 'ann')).to.deep.equal(['a']);
  });

  it('asks again for ids once more was stored', async () => {
    // Given ids that were looked up, and a document that was stored since
    const { readModels } = await storeWith(['a']);
    const documents = unitOfWork(readModels, 10);
    const find = () => void documents.ids(rows, 'owner', 'ann');
    await documents.readFor([find]);
    documents.put(rows, 'b', row);
    documents.beginCommit();
    documents.endCommit();

    // Then
    expect(documents.tryHandling(find)).to.equal('missing');
  });

  it('tells of what it deletes in which partition it was, where it knows', async () => {
    const documents = unitOfWork((await storeWith(['a', 'b'])).readModels, 100);
    const deletions = () => documents.beginCommit().map(({ id, doc, partition }) => [id, doc, partition]);
    await documents.readFor([() => void documents.get(rows, 'a')]);
    documents.remove(rows, 'a');
    documents.remove(rows, 'b');
    documents.put(rows, 'c', row);
    documents.remove(rows, 'c');
    documents.remove(rows, 'c');
    const expected = [
      ['a', null, 'ann'],
      ['b', null, undefined],
      ['c', null, 'ann'],
    ];
    expect(deletions()).to.deep.equal(expected);
    documents.endCommit();
    documents.remove(rows, 'a');
    expect(deletions()).to.deep.equal([['a', null, 'ann']]);
  });
});

describe('A handler that touches very many documents', () => {
  const COUNT = 1_200;
  const number = (documents: DocumentUnitOfWork) => () => {
    documents.put(rows, 'own', { owner: 'the event', number: 0 });
    documents.each(rows, 'owner', 'ann', (id, doc) => documents.put(rows, id, { ...doc, number: doc.number + 1 }));
  };
  const given = async () => unitOfWork((await storeWith(idsOf(COUNT))).readModels, 500);

  it('is to be run in parts, and has changed nothing until then', async () => {
    const documents = await given();
    await documents.readFor([number(documents)]);
    expect(documents.tryHandling(number(documents))).to.equal('in parts');
    expect(documents.size).to.equal(0);
  });

  it('stores what it renders in parts, and its own documents in none of them', async () => {
    const documents = await given();
    const parts: string[][] = [];
    await documents.runInParts(number(documents), (writes) => {
      parts.push(writes.map(({ id }) => id));
      return Promise.resolve(true);
    });
    expect(parts.map(({ length }) => length)).to.deep.equal([500, 500]);
    const left = documents.beginCommit().map(({ id }) => id);
    expect(left).to.have.length(201).and.to.include('own');
    expect([...parts.flat(), ...left].sort()).to.deep.equal(['own', ...idsOf(COUNT)].sort());
  });

  it('can be tried with parts that are stored nowhere', async () => {
    const documents = await given();
    expect(await documents.runInParts(number(documents), () => Promise.resolve(false))).to.equal(2);
    expect(documents.size).to.equal(0);
    expect(documents.get(rows, 'r0')).to.deep.equal(row);
  });

  it('has changed nothing when it fails in the middle', async () => {
    const documents = await given();
    const fail = () =>
      documents.each(rows, 'owner', 'ann', (id, doc) => {
        if (id === 'r1100') throw new Error('a bug');
        documents.put(rows, id, doc);
      });
    const outcome = await documents.runInParts(fail, () => Promise.resolve(false)).catch(String);
    expect(outcome).to.equal('Error: a bug');
    expect(documents.size).to.equal(0);
  });

  it('lets the event loop go in between, though the store answers at once', async () => {
    const documents = unitOfWork((await storeWith(idsOf(5_000))).readModels, 10_000);
    let turns = 0;
    let isRunning = true;
    const turn = () => {
      turns++;
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);
    await documents.runInParts(number(documents), () => Promise.resolve(false));
    isRunning = false;
    expect(turns).to.be.greaterThan(5);
  });
});
