import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { START_POSITION } from '../../src/event-store/port.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { openEmbeddedReadModelsReader } from '../../src/read-models/embedded/reader.ts';
import { openEmbeddedReadModels } from '../../src/read-models/embedded/read-models.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { directoryForEach } from '../support/files.ts';

const rows = defineCollection<{ readonly owner: string }>({ name: 'rows', partition: 'owner', indexes: [['owner']] });
const lists = { name: 'lists', version: 1, collections: [rows] };
const write = { collection: rows, id: 'a', doc: { owner: 'o' } };
const begun = checkpointAt(START_POSITION, { building: { upTo: '5', group: 'here' }, isBuilt: false });

describe('embedded read models that are still being built', () => {
  const directory = directoryForEach('building-');
  const path = () => join(directory(), 'read-models.db');
  const whole = () => join(directory(), 'read-models.db.lists');
  const names = () => readdirSync(directory()).filter((name) => name.startsWith('read-models.'));
  const indexes = () => {
    const database = new Database(whole());
    try {
      const sql = "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'rows' AND sql IS NOT NULL";
      return database.prepare(sql).raw().all([]).flat();
    } finally {
      database.close();
    }
  };
  const begin = async () => {
    const store = openEmbeddedReadModels(path());
    await store.prepare(lists);
    await store.commit(lists, [write], begun);
    await store.close();
  };

  it('are there after the store was opened again, with where to go on', async () => {
    await begin();
    const store = openEmbeddedReadModels(path());
    expect(await store.prepare(lists)).to.deep.equal(begun);
    expect((await store.get(rows, 'a'))?.doc).to.deep.equal({ owner: 'o' });
    expect(await store.checkpointOf('lists')).to.deep.equal(begun);
    await store.close();
  });

  it('appear under their name when they are whole, with their indexes, and not before', async () => {
    await begin();
    const store = openEmbeddedReadModels(path());
    const reader = openEmbeddedReadModelsReader(path());
    await store.prepare(lists);
    expect(existsSync(whole())).to.equal(false);
    expect(() => reader.get(rows, 'a')).to.throw(/not built/);
    await store.commit(lists, [], checkpointAt('5'));
    expect(indexes()).to.have.members(['rows id', 'rows 1']);
    expect((await reader.get(rows, 'a'))?.doc).to.deep.equal({ owner: 'o' });
    expect(await store.prepare(lists)).to.deep.equal(checkpointAt('5'));
    await reader.close();
    await store.close();
    expect(names().filter((name) => name.includes('building'))).to.deep.equal([]);
  });

  it('appear at the next start where that was interrupted when all was stored', async () => {
    await begin();
    const [building = ''] = names();
    const file = new Database(join(directory(), building));
    file.prepare('UPDATE projection SET checkpoint = ?').run([JSON.stringify(checkpointAt('5'))]);
    file.close();
    const store = openEmbeddedReadModels(path());
    expect(await store.prepare(lists)).to.deep.equal(checkpointAt('5'));
    await store.close();
    expect(indexes()).to.have.members(['rows id', 'rows 1']);
    expect(names().filter((name) => name.includes('building'))).to.deep.equal([]);
  });

  it('are begun anew in a file that a killed process has left empty', async () => {
    await begin();
    const [building = ''] = names();
    writeFileSync(join(directory(), building), '');
    const store = openEmbeddedReadModels(path());
    expect(await store.prepare(lists)).to.equal(undefined);
    await store.commit(lists, [write], checkpointAt('5'));
    expect((await store.get(rows, 'a'))?.doc).to.deep.equal({ owner: 'o' });
    await store.close();
    expect(names().filter((name) => name.includes('building'))).to.deep.equal([]);
  });

  it('are begun anew after the machine was started again: a power failure may have left anything', async () => {
    await begin();
    const [building = ''] = names();
    const other = building.replace(/building-.*$/, 'building-another-boot');
    renameSync(join(directory(), building), join(directory(), other));
    writeFileSync(join(directory(), other), 'half a page');
    const store = openEmbeddedReadModels(path());
    expect(await store.prepare(lists)).to.equal(undefined);
    expect(existsSync(join(directory(), other))).to.equal(false);
    expect(await store.find(rows, { filter: {} })).to.deep.equal([]);
    await store.close();
  });

  it('are read in their own file, whatever else is named like it', async () => {
    await begin();
    const store = openEmbeddedReadModels(path());
    await store.prepare(lists);
    await store.commit(lists, [], checkpointAt('5'));
    await store.close();
    // A copy of an earlier state, a text file and a directory.
    copyFileSync(whole(), `${whole()}.bak`);
    const copy = new Database(`${whole()}.bak`);
    copy.exec('DELETE FROM rows');
    copy.close();
    writeFileSync(`${path()}.notes.txt`, 'this is no database, but a text that is long enough to look at');
    mkdirSync(`${path()}.more`);

    const reader = openEmbeddedReadModelsReader(path());
    expect((await reader.get(rows, 'a'))?.doc).to.deep.equal({ owner: 'o' });
    expect([...(await reader.checkpoints()).keys()]).to.deep.equal(['lists']);
    await reader.close();
  });

  it('take the place of the one file of an older version, also when that is damaged', () => {
    writeFileSync(path(), 'this is no database, but a text that is long enough to look at');
    const warnings: string[] = [];
    void openEmbeddedReadModels(path(), (line) => warnings.push(line)).close();
    expect(warnings).to.deep.equal([`${path()} is damaged and was renamed ${path()}.damaged`]);
  });

  it('take the place of a file whose damage is found as it is read', async () => {
    const text = 'x'.repeat(1_000);
    const many = Array.from({ length: 2_000 }, (_, number) => ({ ...write, id: `${number}`, doc: { owner: text } }));
    const warnings: string[] = [];
    const store = openEmbeddedReadModels(path(), (line) => warnings.push(line));
    await store.prepare(lists);
    await store.commit(lists, many, checkpointAt('5'));
    await store.close();
    // Spoils all but the first pages, which hold the schema.
    const bytes = readFileSync(whole());
    writeFileSync(whole(), Buffer.concat([bytes.subarray(0, 65_536), bytes.subarray(65_536).fill(7)]));

    const again = openEmbeddedReadModels(path(), (line) => warnings.push(line));
    expect(await again.prepare(lists)).to.deep.equal(checkpointAt('5'));
    const failed = await again.scan(rows, '', 5_000).catch((error: unknown) => String(error));
    expect(failed).to.match(/malformed/);
    expect(warnings).to.have.length(1);
    expect(await again.prepare(lists)).to.equal(undefined);
    await again.close();
  });

  it('take the place of a file that is damaged, which is kept aside', async () => {
    writeFileSync(whole(), 'this is no database, but a text that is long enough to look at');
    const warnings: string[] = [];
    const store = openEmbeddedReadModels(path(), (line) => warnings.push(line));
    expect(await store.prepare(lists)).to.equal(undefined);
    await store.commit(lists, [write], checkpointAt('5'));
    expect(await store.prepare(lists)).to.deep.equal(checkpointAt('5'));
    await store.close();
    expect(warnings).to.deep.equal([`${whole()} is damaged and was renamed ${whole()}.damaged: lists is built anew`]);
    expect(names()).to.include('read-models.db.lists.damaged');
  });

  it('take the place of a file that an older version has made', async () => {
    const older = new Database(path());
    older.exec(`CREATE TABLE projections (name TEXT PRIMARY KEY, definition TEXT NOT NULL, tables TEXT NOT NULL,
      position TEXT, log TEXT) STRICT`);
    older.close();
    const store = openEmbeddedReadModels(path());
    expect(existsSync(path())).to.equal(false);
    expect(await store.prepare(lists)).to.equal(undefined);
    await store.close();
  });

  it('leave another file alone that has their name', async () => {
    writeFileSync(path(), '');
    const store = openEmbeddedReadModels(path());
    await store.close();
    expect(existsSync(path())).to.equal(true);
  });
});
