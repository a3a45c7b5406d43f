import { existsSync, mkdirSync, statSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readEmbeddedHead } from '../../src/event-store/embedded/event-store.ts';
import { NO_STREAM } from '../../src/event-store/port.ts';
import { nth, worlds, type World } from '../cli/projections-world.ts';
import { newEvents } from '../contract/new-events.ts';
import { endLeftServices, runCli, serveHere } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { openToOthersIn } from '../support/files.ts';
import { streamsIn } from '../support/log-stores.ts';
import { configured, killLeftProcesses, killServeWhen, killWhen, serveProcess } from '../support/process.ts';
import { dumpReadModels } from '../support/read-model-dump.ts';
import { openLogHere } from '../support/threads-here.ts';

/** Names, times and contents of all files of a directory, in the order of their names. */
const contentsIn = async (directory: string) =>
  Promise.all(
    (await readdir(directory)).toSorted().map(async (name) => {
      const path = join(directory, name);
      const { mtimeMs } = await stat(path);
      return [name, mtimeMs, (await readFile(path)).toString('base64')] as const;
    }),
  );

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

  it('is well for hiring doctor, which changes nothing of it', async () => {
    await (await serveProcess(directory)).end('SIGKILL');
    const before = await contentsIn(directory);
    const { code, stdout, stderr } = await runCli(directory, ['doctor']);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/data directory +\S+ is free\n/);
    expect(await contentsIn(directory)).to.deep.equal(before);
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
  const contentOf = async (name: string) => {
    const log = await openLogHere(fileOf(name));
    const content = await streamsIn(log);
    await log.close();
    return content;
  };

  it('goes on where it was killed', async () => {
    const [from, to] = [fileOf('from'), fileOf('to')];
    mkdirSync(join(directory, 'from'));
    const source = await openLogHere(from);
    const streams = Array.from({ length: 4_000 }, (_, number) => `specialty-${number}`);
    await Promise.all(
      streams.map((stream) => source.append({ stream, expectedRevision: NO_STREAM, events: newEvents(5) })),
    );
    await source.close();
    const copy = ['copy', '--from', `sqlite:${from}`, '--to', `sqlite:${to}`];
    const isUnderWay = () => {
      try {
        return readEmbeddedHead(to) > 0;
      } catch {
        // There is no file yet, or no table in it.
        return false;
      }
    };
    await killWhen(directory, copy, configured, isUnderWay);
    expect((await runCli(directory, copy)).code).to.equal(0);
    expect(await contentOf('to')).to.deep.equal(await contentOf('from'));
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
