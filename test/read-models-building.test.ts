import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { START } from '../src/event-store/port.ts';
import { checkpointAt } from './checkpoints.ts';
import { openEmbeddedReadModels } from '../src/read-models/embedded.ts';
import { defineCollection } from '../src/read-models/port.ts';

const rows = defineCollection<{ readonly owner: string }>({
  name: 'rows',
  partition: 'owner',
  indexes: [['owner']],
});
const lists = { name: 'lists', version: 1, collections: [rows] };
const write = { collection: rows, id: 'a', doc: { owner: 'o' } };
const begun = checkpointAt(START, { building: { upTo: '5', group: 'here' }, isBuilt: false });

describe('embedded read models that are still being built', () => {
  let directory: string;
  const file = () => join(directory, 'read-models.db');
  const indexes = () => {
    const database = new Database(file());
    try {
      const sql =
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'rows' AND sql IS NOT NULL";
      return database.prepare(sql).raw().all([]);
    } finally {
      database.close();
    }
  };
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'building-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('are there after the store was opened again, with where to go on, and an index by then', async () => {
    const first = openEmbeddedReadModels(file());
    await first.prepare(lists);
    await first.commit(lists, [write], begun);
    await first.close();
    expect(indexes()).to.have.length(0);

    const second = openEmbeddedReadModels(file());
    expect(await second.prepare(lists)).to.deep.equal(begun);
    expect((await second.get(rows, 'a'))?.doc).to.deep.equal({ owner: 'o' });
    expect(await second.checkpointOf('lists')).to.deep.equal(begun);
    await second.commit(lists, [], checkpointAt('5'));
    expect(await second.prepare(lists)).to.deep.equal(checkpointAt('5'));
    await second.close();
    expect(indexes()).to.have.length(1);
  });

  it('are dropped, and built anew, in a file that an older version has made', async () => {
    const older = new Database(file());
    older.exec(`CREATE TABLE projections (name TEXT PRIMARY KEY, definition TEXT NOT NULL, tables TEXT NOT NULL,
      position TEXT, log TEXT) STRICT`);
    older.exec('CREATE TABLE rows (id TEXT PRIMARY KEY, position TEXT, document TEXT)');
    older.exec(`INSERT INTO projections VALUES ('lists', '{}', '["rows"]', '5', 'l')`);
    older.exec(`INSERT INTO rows VALUES ('old', '5', '{}')`);
    older.close();
    const store = openEmbeddedReadModels(file());
    expect(await store.prepare(lists)).to.equal(undefined);
    await store.commit(lists, [write], checkpointAt('5'));
    expect((await store.find(rows, { filter: {} })).map(({ id }) => id)).to.deep.equal(['a']);
    await store.close();
  });
});
