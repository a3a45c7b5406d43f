import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { openEmbeddedReadModels } from '../../src/read-models/embedded/read-models.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { closings, LONG_MS, newStage } from '../support/projector-stage.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const [faulty, sound] = [closings('faulty'), closings('sound')];

describe('The embedded read models, when SQLite rolls a transaction back', () => {
  let directory: string;
  let store: ReadModelStore;

  /** Acts like a full disk: the document `full` of `faulty` cannot be stored, and uncommitted writes are lost. */
  const fillDisk = (forMs = 60_000) => {
    const connection = new Database(join(directory, 'read-models.db.faulty'));
    connection.exec(`CREATE TRIGGER full BEFORE INSERT ON faulty
      WHEN NEW.id = 'full' AND unixepoch('subsec') < ${(Date.now() + forMs) / 1_000}
      BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END`);
    connection.close();
  };

  const commit = ({ projection }: typeof faulty, position: string, ...ids: string[]) =>
    store.commit(
      projection,
      projection.collections.flatMap((collection) => ids.map((id) => ({ collection, id, doc: { number: 1 } }))),
      checkpointAt(position),
    );

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'failing-'));
    store = openEmbeddedReadModels(join(directory, 'read-models.db'));
    for (const each of [faulty, sound]) {
      await store.prepare(each.projection);
      await commit(each, '1', 'a');
    }
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('say what the failure was, and store nothing more until it is known what is stored', async () => {
    fillDisk();
    expect(await rejectionOf(commit(faulty, '2', 'b', 'full'))).to.match(/database or disk is full/);
    expect(await rejectionOf(commit(faulty, '3', 'c'))).to.match(/to be prepared/);
    expect(await store.prepare(faulty.projection)).to.deep.equal(checkpointAt('1'));
    expect(await rejectionOf(commit(faulty, '2', 'b'))).to.equal(undefined);
    expect(await faulty.closed(store)).to.deep.equal(['a', 'b']);
  });

  it('leave other projections alone', async () => {
    fillDisk();
    await rejectionOf(commit(faulty, '2', 'full'));
    expect(await rejectionOf(commit(sound, '2', 'b'))).to.equal(undefined);
    expect(await sound.closed(store)).to.deep.equal(['a', 'b']);
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
    const projector = await stage.start(projections, { readModels: store, batchSize: 1, maxWaiting: 1 });
    expect(await projector.reached(['faulty', 'sound'], position, LONG_MS)).to.equal(true);
    await stage.end();
    expect(stage.errors).to.include('faulty: SqliteError: database or disk is full');
    for (const { closed } of [faulty, sound]) expect(await closed(store)).to.deep.equal(['a', 'b', 'c', 'full']);
  });
});
