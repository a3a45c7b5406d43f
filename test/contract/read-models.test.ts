import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedReadModels } from '../../src/read-models/embedded/read-models.ts';
import { openMongoReadModels } from '../../src/read-models/mongodb/read-models.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { leased } from '../support/mongodb-stores.ts';
import { memoryReadModels, openMemoryReadModels } from '../support/memory-stores.ts';
import { newDatabase, withServer } from '../support/servers.ts';
import { readModelsContract, type OpenedReadModels } from './read-models.ts';

const openEmbedded = async (): Promise<OpenedReadModels> => {
  const directory = await mkdtemp(join(tmpdir(), 'read-models-'));
  const open = () => openEmbeddedReadModels(join(directory, 'read-models.db'));
  let readModels = open();
  return {
    readModels,
    async reopen() {
      await readModels.close();
      return (readModels = open());
    },
    async close() {
      await readModels.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

readModelsContract('embedded', openEmbedded);

readModelsContract('memory', () => {
  const disk = memoryReadModels();
  return Promise.resolve({
    readModels: openMemoryReadModels(disk),
    reopen: () => Promise.resolve(openMemoryReadModels(disk)),
    close: () => Promise.resolve(),
  });
});

withServer('read models contract: MongoDB', 'TEST_MONGODB_URL', (server) => {
  readModelsContract('MongoDB', () => {
    const { url, drop } = newDatabase(server);
    let readModels = leased(openMongoReadModels({ url }));
    return Promise.resolve({
      readModels,
      async reopen() {
        await readModels.close();
        return (readModels = leased(openMongoReadModels({ url })));
      },
      async close() {
        await readModels.close();
        await drop();
      },
    });
  });
});

describe('embedded read models', () => {
  let opened: OpenedReadModels;
  before(async () => {
    opened = await openEmbedded();
  });
  after(() => opened.close());

  it('store documents and checkpoint together or not at all', async () => {
    const { readModels } = opened;
    const known = defineCollection<{ readonly text: string }>({ name: 'known', partition: 'id', indexes: [] });
    const unprepared = { ...known, name: 'unprepared' };
    const projection = { name: 'whole', version: 1, collections: [known] };
    await readModels.prepare(projection);
    await readModels.commit(projection, [{ collection: known, id: 'a', doc: { text: 'one' } }], checkpointAt('1'));
    const writes = [
      { collection: known, id: 'a', doc: { text: 'two' } },
      { collection: unprepared, id: 'b', doc: { text: 'two' } },
    ];
    const [outcome] = await Promise.allSettled([readModels.commit(projection, writes, checkpointAt('2'))]);
    expect(outcome.status).to.equal('rejected');
    expect((await readModels.get(known, 'a'))?.doc).to.deep.equal({ text: 'one' });
    expect(await readModels.prepare(projection)).to.deep.equal(checkpointAt('1'));
  });
});
