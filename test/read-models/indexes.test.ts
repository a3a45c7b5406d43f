import { expect } from 'chai';
import type { Db, IndexDescription } from 'mongodb';
import { createMongoConnection, type MongoConnection } from '../../src/read-models/mongodb/client.ts';
import { ensureCollection } from '../../src/read-models/mongodb/indexes.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { describeOnMongo } from '../support/mongodb-stores.ts';

const rows = defineCollection<{ readonly owner: string; readonly size: number }>({
  name: 'rows',
  partition: 'id',
  indexes: [['owner']],
});

describeOnMongo('The indexes of a collection in MongoDB', ({ url }) => {
  let connection: MongoConnection;
  let db: Db;
  beforeEach(() => {
    connection = createMongoConnection(url());
    db = connection.client.db();
  });
  afterEach(() => connection.close());
  const make = (index: IndexDescription) => db.collection(rows.name).createIndexes([index]);
  const names = async () => (await db.collection(rows.name).indexes()).map(({ name }) => name);

  it('are made when they are missing, and not again', async () => {
    expect(await ensureCollection(connection.ask, rows)).to.deep.equal([]);
    expect(await names()).to.have.members(['_id_', 'doc.owner']);
    expect(await ensureCollection(connection.ask, rows)).to.deep.equal([]);
  });

  it('may be there under another name', async () => {
    await make({ key: { 'doc.owner': 1 }, name: 'made by hand' });
    expect(await ensureCollection(connection.ask, rows)).to.deep.equal([]);
    expect(await names()).to.have.members(['_id_', 'made by hand']);
  });

  it('are reported and left alone when they are not what is declared', async () => {
    await make({ key: { 'doc.size': 1 }, name: 'doc.owner' });
    await make({ key: { 'doc.size': -1 }, name: 'more' });
    const before = await names();
    expect(await ensureCollection(connection.ask, rows)).to.have.members([
      'The index doc.owner of rows is [["doc.size",1]]; declared is [["doc.owner",1]]',
      'The index more of rows is not declared',
    ]);
    expect(await names()).to.have.members(before);
  });

  it('are reported when documents expire by them', async () => {
    await make({ key: { 'doc.owner': 1 }, name: 'doc.owner', expireAfterSeconds: 60 });
    expect(await ensureCollection(connection.ask, rows)).to.deep.equal([
      'The index doc.owner of rows is [["doc.owner",1]], expiring after 60 s; declared is [["doc.owner",1]]',
    ]);
  });
});
