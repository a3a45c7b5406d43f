import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { openEmbeddedReadModels } from '../src/read-models/embedded.ts';
import type { ReadModelStore } from '../src/read-models/port.ts';
import { checkpointAt } from './checkpoints.ts';
import { closings, LONG_MS, newStage } from './projector-stage.ts';

const [faulty, sound] = [closings('faulty'), closings('sound')];
const failureOf = (act: () => Promise<unknown>): Promise<string> =>
  act().then(
    () => 'none',
    (error: unknown) => String(error),
  );

describe('The embedded read models, when SQLite rolls all of a transaction back', () => {
  let directory: string;
  let store: ReadModelStore;

  /** Does what a full disk does: the document `full` of `faulty` cannot be stored, and what was not flushed is lost. */
  const fillDisk = (forMs = 60_000) => {
    const connection = new Database(join(directory, 'read-models.db'));
    connection.exec(`CREATE TRIGGER full BEFORE INSERT ON faulty
      WHEN NEW.id = 'full' AND unixepoch('subsec') < ${(Date.now() + forMs) / 1_000}
      BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END`);
    connection.close();
  };

  const commit = ({ projection }: typeof faulty, id: string, position: string) =>
    store.commit(
      projection,
      projection.collections.map((collection) => ({ collection, id, doc: { number: 1 } })),
      checkpointAt(position),
    );

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lost-'));
    store = openEmbeddedReadModels(join(directory, 'read-models.db'));
    for (const { projection } of [faulty, sound]) await store.prepare(projection);
    await commit(sound, 'a', '1');
    await store.flush();
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('say what the failure was', async () => {
    fillDisk();
    expect(await failureOf(() => commit(faulty, 'full', '2'))).to.match(/database or disk is full/);
    expect(await failureOf(() => store.flush())).to.equal('none');
    expect(await failureOf(() => commit(faulty, 'b', '2'))).to.equal('none');
  });

  it('refuse the next flush and the next commit of each projection that has lost documents', async () => {
    fillDisk();
    await commit(sound, 'b', '2');
    await failureOf(() => commit(faulty, 'full', '2'));
    expect(await failureOf(() => store.flush())).to.match(/lost/);
    expect(await failureOf(() => commit(sound, 'c', '3'))).to.match(/lost/);
    expect(await store.prepare(sound.projection)).to.deep.equal(checkpointAt('1'));
    await commit(sound, 'b', '2');
    await commit(sound, 'c', '3');
    await store.flush();
    expect(await sound.closed(store)).to.deep.equal(['a', 'b', 'c']);
  });

  it('take the documents of a projection that begins anew', async () => {
    fillDisk();
    await commit(sound, 'b', '2');
    await failureOf(() => commit(faulty, 'full', '2'));
    await failureOf(() => store.flush());
    expect(await store.prepare(sound.projection)).to.deep.equal(checkpointAt('1'));
    expect(await failureOf(() => commit(sound, 'b', '2'))).to.equal('none');
  });

  it('make the indexes that were lost', async () => {
    fillDisk();
    const indexed = closings('indexed');
    await store.prepare(indexed.projection);
    await commit(indexed, 'a', '1');
    await failureOf(() => commit(faulty, 'full', '2'));
    await failureOf(() => store.flush());
    await store.prepare(indexed.projection);
    await commit(indexed, 'a', '1');
    await store.flush();
    const connection = new Database(join(directory, 'read-models.db'));
    const made = connection.prepare("SELECT name FROM sqlite_schema WHERE name = 'indexed 1'").all([]);
    connection.close();
    expect(made).to.have.length(1);
  });

  it('are what they would have been in the end, once there is room', async () => {
    const stage = newStage();
    const projections = [sound.projection, faulty.projection];
    for (const projection of projections) await store.reset(projection);
    const before = await stage.start(projections, { readModels: store });
    expect(await before.reached(['faulty', 'sound'], await stage.close('a'), LONG_MS)).to.equal(true);
    await before.stop();

    fillDisk(200);
    const position = await stage.close('full', 'b', 'c');
    // Each document is committed by itself, and all are flushed at the end.
    const projector = await stage.start(projections, { readModels: store, batchSize: 1, mostWaiting: 1 });
    expect(await projector.reached(['faulty', 'sound'], position, LONG_MS)).to.equal(true);
    await stage.end();
    expect(stage.errors).to.include('faulty: SqliteError: database or disk is full');
    for (const { closed } of [faulty, sound])
      expect(await closed(store)).to.deep.equal(['a', 'b', 'c', 'full']);
  });
});
