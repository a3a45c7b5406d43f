import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { beginCli, endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { configured, spawnCli } from '../../support/process.ts';
import { newDatabase, withServer } from '../../support/servers.ts';
import { nth, worlds, type World } from './world.ts';

const NAME = 'hiring projections list';

withServer(NAME, 'TEST_MONGODB_URL', (server) => {
  describe(NAME, () => {
    it('tells what it can while EventStoreDB does not answer', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'hiring-list-'));
      const database = newDatabase(server);
      try {
        const { code, stdout, stderr } = await runCli(directory, ['projections', 'list', '--json'], {
          ...configured,
          EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false',
          READ_MODEL_URL: database.url,
        });
        // Not green: how far builds are behind is not known.
        expect({ code, stderr }).to.deep.equal({
          code: 2,
          stderr: 'hiring: The event log has not answered in time: how far builds are behind it is not known\n',
        });
        const lines = JSON.parse(stdout) as { projection: string; lagEvents: unknown }[];
        expect(lines.map(({ projection }) => projection)).to.include('posting-candidates');
        for (const { lagEvents } of lines) expect(lagEvents).to.equal(null);
      } finally {
        await database.drop();
        await rm(directory, { recursive: true });
      }
    });
  });
});

describe(NAME, () => {
  const { make, copy, end } = worlds();
  let world: World;
  before(make);
  beforeEach(async () => {
    world = await copy();
  });
  afterEach(endLeftServices);
  after(end);
  const listed = async (): Promise<string> => (await world.projections('list')).stdout;

  it('says first that no service runs', async () => {
    expect(await listed()).to.match(/^service: none runs on \S+\n\nbuild +state/);
  });

  it('says first since when a service runs, where, and that it is ready', async () => {
    const service = await serveHere(world.directory);
    await eventually(
      'it is ready',
      async () =>
        (await listed()).startsWith(`service: process ${process.pid}, since 20`) &&
        (await listed()).includes(` at ${service.url} is ready: its writer and its projector answer\n`),
    );
    await service.end();
    expect(await listed()).to.match(/^service: none runs/);
  });

  it('says that a service was killed, and that one does not answer', async () => {
    await writeFile(join(world.directory, 'owner.lock-journal'), '');
    await writeFile(join(world.directory, 'owner.pid'), '999999999');
    expect(await listed()).to.match(
      /^service: none runs on \S+; process 999999999, there since 20\S+, was killed; hiring doctor says what helps\n/,
    );
    await writeFile(join(world.directory, 'owner.pid'), `${process.pid}\nhttp://127.0.0.1:1`);
    expect(await listed()).to.match(
      /^service: process \d+, since \S+, at http:\/\/127\.0\.0\.1:1 DOES NOT ANSWER: it runs: .*; ss -tn sport = :1 lists its connections/,
    );
  });

  it('shows a build of another event log as that, and warns of an event log that is older', async () => {
    const name = nth('specialties', 1);
    const checkpointOf = (change: string) =>
      world.execute(`read-models.db.${name}`, `UPDATE projection SET checkpoint = json_set(checkpoint, ${change})`);
    checkpointOf(`'$.last.position', '0000000000999999', '$.last.id', 'of-the-end'`);
    expect(await listed()).to.match(/\n\S+events\.db is an older state of its event log \S+: it lacks /);
    checkpointOf(`'$.first.id', 'of-staging'`);
    const { code, stdout, stderr } = await world.projections('list');
    expect(stdout).to.match(/^specialties@\S+ +of another log /m);
    expect(code).to.equal(2);
    expect(stderr).to.include('was made from of-staging');
  });

  it('says why a service is degraded', async () => {
    const reason = 'the read models cannot be read: MongoDB does not answer';
    const service = createServer((_request, response) =>
      response.end(JSON.stringify({ status: 'degraded', reason, projections: [] })),
    ).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    await writeFile(join(world.directory, 'owner.lock-journal'), '');
    await writeFile(join(world.directory, 'owner.pid'), `${process.pid}\nhttp://127.0.0.1:${port}`);
    expect(await listed()).to.match(new RegExp(`^service: .* is degraded: ${reason}; hiring doctor says what helps\n`));
    service.close();
  });

  it('shows rate, percent and time left of a build under way, and what needs an operator, with the command', async () => {
    const name = 'saved-postings';
    world.execute(
      'projections.db',
      `UPDATE catalogue SET entry = json_set(entry,
         '$.builds[1]', json_set(json_extract(entry, '$.builds[0]'), '$.id', '${nth(name, 2)}', '$.step', 'build',
           '$.progress', json('{"events":500,"of":2000,"perSecond":100}')),
         '$.builds[2]', json_set(json_extract(entry, '$.builds[0]'), '$.id', '${nth(name, 3)}', '$.step', 'stopped',
           '$.stoppedBy', 'a poison event'),
         '$.paused', json('{"since":"2026-03-01T00:00:00.000Z","by":"os:ada"}'))
       WHERE name = '${name}'`,
    );
    const text = await listed();
    expect(text).to.match(/^saved-postings@\S+2 +building, paused +- +\d+ +0 +25 %, 100\/s, 15 s left$/m);
    expect(text).to.match(
      /^saved-postings is paused since 2026-03-01T00:00:00\.000Z by os:ada; hiring projections resume saved-postings$/m,
    );
    expect(text).to.match(
      /^saved-postings@\S+3 has stopped: a poison event; after a fix hiring projections rebuild saved-postings/m,
    );
  });

  it('--watch goes on while servers do not answer', async () => {
    const watching = beginCli(world.directory, ['projections', 'list', '--watch'], {
      ...configured,
      EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false',
      READ_MODEL_URL: 'mongodb://127.0.0.1:1/none',
    });
    await eventually('that is shown', () => watching.stdout().includes('\n\nMongoDB does not answer\n'), 30_000);
    expect(await watching.interrupt()).to.equal(0);
  });

  it('--watch shows it again and again, until it is interrupted', async () => {
    const watching = beginCli(world.directory, ['projections', 'list', '--watch']);
    await eventually('two tables are shown', () => watching.stdout().split('service: none runs').length > 2);
    expect(await watching.interrupt()).to.equal(0);
    expect(watching.stderr()).to.equal('');
  });
});

describe('hiring projections rebuild, ended by a signal', () => {
  const { make, copy, end } = worlds();
  before(make);
  afterEach(endLeftServices);
  after(end);
  const NAME_OF = 'posting-candidates';
  const beginRebuild = async (world: World) => {
    const command = beginCli(world.directory, ['projections', 'rebuild', NAME_OF, '--throttle', '1']);
    await eventually('it is under way', () => world.next(NAME_OF)?.progress != null);
    return command;
  };

  it('says that nothing goes on, where no service runs', async () => {
    const world = await copy();
    const args = ['projections', 'rebuild', NAME_OF, '--throttle', '1'];
    const command = spawnCli(world.directory, args, configured);
    let stderr = '';
    command.stderr?.on('data', (chunk) => (stderr += String(chunk)));
    await eventually('it is under way', () => world.next(NAME_OF)?.progress != null);
    command.kill('SIGINT');
    const [code] = (await once(command, 'close')) as [number];
    expect(code).to.equal(2);
    expect(stderr).to.match(
      /hiring: Ended by SIGINT; nothing goes on with it until the service starts, or the same command again: [^\n]+\n$/,
    );
  });

  it('says that the service goes on with it, where one runs', async () => {
    const world = await copy();
    await serveHere(world.directory);
    const command = await beginRebuild(world);
    expect(await command.interrupt()).to.equal(2);
    expect(command.stderr()).to.match(/hiring: Ended by SIGINT; the service goes on with it: [^\n]+\n$/);
    expect((await world.projections('cancel', NAME_OF)).code).to.equal(0);
  });
});
