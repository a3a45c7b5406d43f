import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readEmbeddedCheckpoints } from '../support/embedded-checkpoints.ts';
import { openEmbeddedReadModels } from '../../src/read-models/embedded/read-models.ts';
import { defineCollection, type ReadModelStore } from '../../src/read-models/port.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { eventually } from '../support/eventually.ts';
import { parkedAt } from '../support/parked.ts';

const rows = defineCollection<{ readonly owner: string }>({ name: 'rows', partition: 'owner', indexes: [] });
const projection = { name: 'lists', version: 1, collections: [rows] };
const one = { collection: rows, id: 'a', doc: { owner: 'ann' } };

describe('A checkpoint in a file that comes without documents', () => {
  let directory: string;
  let path: string;
  let store: ReadModelStore;
  const inFile = () => readEmbeddedCheckpoints(path).get('lists')?.position;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-noted-'));
    path = join(directory, 'read-models.db');
    // Given a projection that is served
    store = openEmbeddedReadModels(path);
    await store.prepare(projection);
    await store.commit(projection, [], checkpointAt('0'));
    await store.commit(projection, [one], checkpointAt('1'));
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('counts at once for those who write it, and is in the file a moment later', async () => {
    await store.commit(projection, [], checkpointAt('2'));
    expect(await store.checkpointOf('lists')).to.deep.equal(checkpointAt('2'));
    expect(inFile()).to.equal('1');
    await eventually('it is stored', () => inFile() === '2');
  });

  it('is stored when the store is closed', async () => {
    await store.commit(projection, [], checkpointAt('2'));
    await store.close();
    expect(inFile()).to.equal('2');
  });

  it('gives way to a later one that has documents', async () => {
    await store.commit(projection, [], checkpointAt('2'));
    await store.commit(projection, [one], checkpointAt('3'));
    expect(inFile()).to.equal('3');
    expect(await store.checkpointOf('lists')).to.deep.equal(checkpointAt('3'));
  });

  it('is stored without the documents of a later commit that fails', async () => {
    await store.commit(projection, [], checkpointAt('2'));
    const unsound = {
      ...one,
      id: 'c',
      doc: {
        get owner(): string {
          throw new Error('It cannot be made to JSON');
        },
      },
    };
    const failing = store.commit(projection, [{ ...one, id: 'b' }, unsound], checkpointAt('3'));
    expect(await failing.then(() => 'stored', String)).to.include('JSON');

    expect(await store.prepare(projection)).to.deep.equal(checkpointAt('2'));
    expect(await store.get(rows, 'b')).to.equal(undefined);
  });

  it('is stored at once where it says that a stream is parked', async () => {
    await store.commit(projection, [], checkpointAt('2', { parked: [parkedAt('stream', 0)] }));
    expect(inFile()).to.equal('2');
  });
});
