import { once } from 'node:events';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readEmbeddedHead } from '../../src/event-store/embedded/event-store.ts';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { NO_STREAM, START_POSITION, type EventStore } from '../../src/event-store/port.ts';
import { SQLITE_SUFFIXES } from '../../src/sqlite/files.ts';
import { nth, worlds, type World } from '../cli/projections/world.ts';
import { newEvents } from '../contract/new-events.ts';
import { endLeftServices, runCli, serveHere } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { openToOthersIn } from '../support/files.ts';
import { eventsIn } from '../support/log-stores.ts';
import { configured, killLeftProcesses, killServeWhen, killWhen, serveProcess, spawnCli } from '../support/process.ts';
import { newPrefix, withServer } from '../support/servers.ts';
import { dumpReadModels } from '../support/read-model-dump.ts';
import { openLogHere } from '../support/threads-here.ts';

let directory: string;
const begin = async () => {
  directory = await mkdtemp(join(tmpdir(), 'hiring-killed-'));
};
const end = async () => {
  killLeftProcesses();
  await endLeftServices();
  await rm(directory, { recursive: true });
};

describe('What a killed service has left', () => {
  beforeEach(begin);
  afterEach(end);

  it('is taken over by the next one', async () => {
    await (await serveProcess(directory)).end('SIGKILL');
    const next = await serveProcess(directory);
    expect(await next.end('SIGTERM')).to.equal(0);
  });

  it('can be read by no other user once the next one runs, though it could before; and other files are left alone', async () => {
    await (await serveProcess(directory)).end('SIGKILL');
    for (const name of await readdir(directory)) await chmod(join(directory, name), 0o644);
    await writeFile(join(directory, 'notes.txt'), 'of the operator', { mode: 0o644 });
    const service = await serveProcess(directory);
    expect(await openToOthersIn(directory)).to.deep.equal(['notes.txt']);
    await service.end('SIGTERM');
  });

  it('is told by hiring doctor, which changes nothing that is stored', async () => {
    await (await serveProcess(directory)).end('SIGKILL');
    // SQLite's own files may go: whoever opens or closes a database next brings what they hold into it.
    const files = async () =>
      (await readdir(directory)).filter((name) => !SQLITE_SUFFIXES.some((suffix) => name.endsWith(suffix))).toSorted();
    const before = [await files(), dumpReadModels(join(directory, 'read-models.db'))];
    const { code, stdout, stderr } = await runCli(directory, ['doctor']);
    expect([code, stderr]).to.deep.equal([1, '']);
    expect(stdout.match(/^BAD .*$/gm)).to.have.length(1);
    expect(stdout).to.match(/^BAD +data directory /m);
    expect([await files(), dumpReadModels(join(directory, 'read-models.db'))]).to.deep.equal(before);
  });
});

describe('The world of the demo', function () {
  this.timeout(120_000);
  beforeEach(begin);
  afterEach(end);

  it('is completed by the start after one that was killed', async () => {
    const demo = {};
    const dump = (where: string) => dumpReadModels(join(where, 'read-models.db'));
    const [whole, killed] = [join(directory, 'whole'), join(directory, 'killed')];
    mkdirSync(whole);
    mkdirSync(killed);
    await (await serveHere(whole, demo)).end();
    const isHalfWay = () =>
      existsSync(join(killed, 'demo-unfinished')) &&
      (statSync(join(killed, 'events.db-wal'), { throwIfNoEntry: false })?.size ?? 0) > 200_000;
    await killServeWhen(killed, demo, isHalfWay);
    const store = await openLogHere(join(killed, 'events.db'));
    const head = await store.head();
    await store.close();
    expect(Number(head)).to.be.greaterThan(0);
    await (await serveHere(killed, demo)).end();
    expect(dump(killed)).to.deep.equal(dump(whole));
  });
});

describe('A copy of an event log', () => {
  beforeEach(begin);
  afterEach(end);
  const fileOf = (name: string) => join(directory, name, 'events.db');
  const urlOf = (name: string) => `sqlite:${fileOf(name)}`;
  const withLog = async <T>(name: string, use: (log: EventStore) => Promise<T>): Promise<T> => {
    const log = await openLogHere(fileOf(name));
    try {
      return await use(log);
    } finally {
      await log.close();
    }
  };
  /** Streams that are written in turn. */
  const write = async (name: string, count: number): Promise<void> => {
    mkdirSync(join(directory, name));
    const streams = Array.from({ length: count }, (_, number) => `specialty-${number}`);
    await withLog(name, async (log) => {
      for (const expectedRevision of [NO_STREAM, 2])
        await Promise.all(streams.map((stream) => log.append({ stream, expectedRevision, events: newEvents(3) })));
    });
  };
  const copy = (to: string) => ['copy', '--from', urlOf('from'), '--to', to];

  it('is the beginning of its source when it was killed, and goes on there', async () => {
    await write('from', 4_000);
    const isUnderWay = () => {
      try {
        return readEmbeddedHead(fileOf('to')) > 0;
      } catch {
        // There is no file yet, or no table in it.
        return false;
      }
    };
    await killWhen(directory, copy(urlOf('to')), configured, isUnderWay);
    const whole = await withLog('from', eventsIn);
    const part = await withLog('to', eventsIn);
    expect(part).to.deep.equal(whole.slice(0, part.length));

    expect((await runCli(directory, copy(urlOf('to')))).code).to.equal(0);
    expect(await withLog('to', eventsIn)).to.deep.equal(await withLog('from', eventsIn));
  });

  withServer('on EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
    it('is the beginning of its source on EventStoreDB too', async function () {
      this.timeout(120_000);
      const prefix = newPrefix();
      const more = { ...configured, EVENT_STORE_PREFIX: prefix };
      const target = openEventStoreDb({ url, prefix, categories: ['specialty', 'audit'] });
      try {
        // Given a copy that is killed while it appends
        await write('from', 1_500);
        const child = spawnCli(directory, copy(url), more);
        const exited = once(child, 'exit');
        await eventually('some are there', async () => (await target.readAll(START_POSITION, 1)).length > 0);
        child.kill('SIGKILL');
        await exited;

        // Then
        const part = await eventsIn(target);
        expect(part).to.deep.equal((await withLog('from', eventsIn)).slice(0, part.length));
        expect(part.length).to.be.lessThan(9_000);
        expect((await runCli(directory, copy(url), more)).code).to.equal(0);
        expect(await eventsIn(target)).to.deep.equal(await withLog('from', eventsIn));
      } finally {
        await target.close();
      }
    });
  });
});

describe('A rebuild whose command was killed', function () {
  this.timeout(90_000);
  const { make, copy, end: endWorlds } = worlds();
  const [first, second] = [nth('posting-candidates', 1), nth('posting-candidates', 2)];
  const rebuild = (throttle: number) =>
    ['projections', 'rebuild', 'posting-candidates', '--throttle', String(throttle)] as const;
  let world: World;
  before(make);
  beforeEach(async () => {
    world = await copy();
  });
  afterEach(killLeftProcesses);
  afterEach(endLeftServices);
  after(endWorlds);

  it('changes nothing that is served, and the same again goes on with it', async () => {
    const isUnderWay = () => world.next('posting-candidates')?.progress != null;
    await killWhen(world.directory, rebuild(1), configured, isUnderWay);
    expect(await world.builds('posting-candidates')).to.deep.equal([`${first} live`, `${second} built`]);
    const { code } = await world.projections('rebuild', 'posting-candidates');
    expect(code).to.equal(0);
    expect(await world.builds('posting-candidates')).to.deep.equal([`${second} live`, `${first} kept`]);
  });

  // The throttle keeps the rebuild under way until its command is killed.
  it('is finished by the service that runs', async () => {
    await serveHere(world.directory);
    const isUnderWay = () => world.next('posting-candidates') !== undefined;
    await killWhen(world.directory, rebuild(40), configured, isUnderWay);
    await eventually('it is served', () => world.record('posting-candidates')?.active === second);
  });
});
