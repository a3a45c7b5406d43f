import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedReadModelsReader, type ReadModelsReader } from '../../src/read-models/embedded/reader.ts';
import { openEmbeddedReadModels } from '../../src/read-models/embedded/read-models.ts';
import { openMongoReadModelsReader } from '../../src/read-models/mongodb/reader.ts';
import { defineCollection, NotBuiltError, type ReadModels, type ReadModelStore } from '../../src/read-models/port.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { describeOnMongo, leased } from '../support/mongodb-stores.ts';

const rows = defineCollection<{ readonly owner: string }>({ name: 'rows', partition: 'owner', indexes: [['owner']] });
const projection = { name: 'lists', version: 1, collections: [rows] };

/** Expects reads to fail, not to take the collection for an empty one. */
const expectNotBuilt = async (readModels: Pick<ReadModels, 'get' | 'find' | 'count'>) => {
  const reads: (() => Promise<unknown>)[] = [
    () => readModels.get(rows, 'a'),
    () => readModels.find(rows, { filter: { owner: 'ann' } }),
    () => readModels.count(rows, { owner: 'ann' }),
  ];
  for (const read of reads) {
    const [outcome] = await Promise.allSettled([Promise.resolve().then(read)]);
    expect(outcome).to.have.property('reason').that.is.instanceOf(NotBuiltError);
  }
};

const expectEmpty = async (readModels: Pick<ReadModels, 'get' | 'find' | 'count'>) => {
  expect(await readModels.get(rows, 'a')).to.equal(undefined);
  expect(await readModels.find(rows, { filter: { owner: 'ann' } })).to.deep.equal([]);
  expect(await readModels.count(rows, { owner: 'ann' })).to.equal(0);
};

describe('A collection that is not there', () => {
  it('in a file is never read as an empty one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'not-built-'));
    const file = join(directory, 'read-models.db');
    const store = openEmbeddedReadModels(file);
    const reader = openEmbeddedReadModelsReader(file);
    try {
      await expectNotBuilt(reader);
      await store.prepare(projection);
      await expectNotBuilt(reader);
      await store.commit(projection, [], checkpointAt('1'));
      await expectEmpty(reader);
      await store.drop(projection.name);
      reader.refresh('all');
      await expectNotBuilt(reader);
    } finally {
      await reader.close();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describeOnMongo('A collection in MongoDB', ({ url, open }) => {
  let store: ReadModelStore;
  let reader: Pick<ReadModelsReader, 'get' | 'find' | 'count' | 'close'>;
  beforeEach(() => {
    store = leased(open());
    reader = openMongoReadModelsReader(url());
  });
  afterEach(() => reader.close());

  it('that is not there, or not built yet, is never read as an empty one', async () => {
    await expectNotBuilt(reader);
    await store.prepare(projection);
    await expectNotBuilt(reader);
    await store.commit(projection, [], checkpointAt('1', { isBuilt: false }));
    await expectNotBuilt(reader);
  });

  it('that is empty is read so', async () => {
    await store.prepare(projection);
    await store.commit(projection, [], checkpointAt('1'));
    await expectEmpty(reader);
  });

  it('that was dropped, or is built anew, is not read as an empty one', async () => {
    await store.prepare(projection);
    await store.commit(projection, [{ collection: rows, id: 'a', doc: { owner: 'ann' } }], checkpointAt('1'));
    await store.reset(projection);
    await expectNotBuilt(reader);
    await store.commit(projection, [], checkpointAt('1'));
    await store.drop(projection.name);
    await expectNotBuilt(reader);
  });
});
