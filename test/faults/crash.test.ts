import { expect } from 'chai';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { killLeftProcesses, serveProcess, type Running } from '../support/process.ts';
import { untilReady } from '../support/service.ts';
import { dumpReadModels } from '../support/read-model-dump.ts';
import { expectEachOnce, startWriters } from '../support/writers.ts';

const KILLS = 20;
const WRITERS = 8;
const ANSWERS_BETWEEN_KILLS = 60;

describe('A service that is killed again and again under concurrent writers', function () {
  this.timeout(180_000);
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-crash-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true, force: true });
  });

  it(`loses nothing acknowledged, applies nothing twice, and its read models equal a rebuild (${KILLS} kills)`, async () => {
    let service: Running = await serveProcess(directory);
    const writers = await startWriters(WRITERS, () => service.url);
    for (let kill = 0; kill < KILLS; kill++) {
      await writers.more(ANSWERS_BETWEEN_KILLS);
      await service.end('SIGKILL');
      service = await serveProcess(directory);
    }
    const done = await writers.end();
    expect(await service.end('SIGTERM')).to.equal(0);

    const store = await openEmbeddedEventStore(join(directory, 'events.db'));
    await expectEachOnce(store, done);
    await store.close();

    const file = join(directory, 'read-models.db');
    const kept = await caughtUp(directory, file);
    for (const name of await readdir(directory))
      if (name.startsWith('read-models.db')) await rm(join(directory, name), { force: true });
    expect(await caughtUp(directory, file)).to.deep.equal(kept);
  });
});

const caughtUp = async (directory: string, file: string) => {
  const service = await serveProcess(directory);
  await untilReady(service.url);
  await service.end('SIGTERM');
  return dumpReadModels(file);
};
