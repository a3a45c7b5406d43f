import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projections } from '../../../projections/index.ts';
import { diagnoseFileOwners } from '../../../src/cli/doctor/directory.ts';
import { diagnoseExternalServices } from '../../../src/cli/doctor/external-services.ts';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { configured } from '../../support/process.ts';
import { newDatabase, newPrefix, withBothServers } from '../../support/servers.ts';
import { untilReady } from '../../support/service.ts';

describe('hiring doctor', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'doctor-'));
  });
  afterEach(async () => {
    await endLeftServices();
    await rm(directory, { recursive: true, force: true });
  });

  it('finds all well in an empty directory, and makes nothing there', async () => {
    const { code, stdout, stderr } = await runCli(directory, ['doctor']);
    expect([code, stderr]).to.deep.equal([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 3))).to.deep.equal(lines.map(() => 'ok '));
    expect(stdout).to.match(/event log +\S+ is not there yet\n/);
    expect(stdout).to.match(/read models +the next start builds posting-candidates, /);
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('finds no fault in a directory that is not there yet, and makes none', async () => {
    const missing = join(directory, 'missing');
    const { code, stdout } = await runCli(missing, ['doctor']);
    expect(stdout).not.to.match(/^BAD/m);
    expect(code).to.equal(0);
    expect(existsSync(missing)).to.equal(false);
  });

  it('tells which process has the data directory, beside a running service', async () => {
    await serveHere(directory);
    await eventually('all is well, once the service is ready', async () => {
      const { code, stdout } = await runCli(directory, ['doctor']);
      expect(stdout).to.contain(`is in use by the process with pid ${process.pid}\n`);
      return code === 0 && /read models +every projection has a build of this version\n/.test(stdout);
    });
  });

  it('takes no file for a fault that another process removes meanwhile', async () => {
    const passing = join(directory, 'events.db-wal');
    await writeFile(join(directory, 'events.db'), '');
    const found = [];
    for (let round = 0; round < 200; round++) {
      await writeFile(passing, '');
      const remove = async () => {
        for (let turn = 0; turn < round % 10; turn++) await setImmediate();
        await rm(passing);
      };
      const [findings] = await Promise.all([diagnoseFileOwners(directory, ['events.db']), remove()]);
      found.push(...findings.filter(({ isWell }) => !isWell));
    }
    expect(found).to.deep.equal([]);
  });

  it('takes no unfinished or damaged file for a build', async () => {
    for (const { name, version } of projections)
      for (const end of ['.building-x', '.damaged'])
        await writeFile(join(directory, `read-models.db.${name}@${version}.1${end}`), '');
    const { stdout } = await runCli(directory, ['doctor']);
    expect(stdout).to.match(/read models +the next start builds posting-candidates, /);
  });

  it('finds a data directory that is none, a file above it, and a link that leads nowhere', async () => {
    await writeFile(join(directory, 'file'), '');
    await symlink(join(directory, 'nothing'), join(directory, 'link'));
    for (const name of ['file', 'file/below', 'link']) {
      const { code, stdout, stderr } = await runCli(directory, ['doctor'], {
        ...configured,
        DATA_DIR: join(directory, name),
      });
      expect([code, stderr], name).to.deep.equal([1, '']);
      expect(stdout, name).to.match(/BAD {2}data directory {2}\S/);
    }
  });

  it('tells all that is wrong with the configuration, a line each, and looks at nothing else', async () => {
    const { code, stdout } = await runCli(directory, ['doctor'], { ...configured, PORT: 'http', LOG_LEVEL: 'loud' });
    expect(code).to.equal(1);
    expect(stdout).to.match(/^(?:BAD {2}configuration {2}(?:PORT|LOG_LEVEL) is [^\n]+\n){2}$/);
    expect(stdout).to.include('PORT is "http", ');
  });

  // EventStoreDB is given 4.5 s to answer.
  it('tells of servers that do not answer, and asks an instance once how ready it is', async () => {
    let asked = 0;
    const instance = createServer(({ url }, response) => {
      if (url === '/health/ready') asked++;
      response.end(JSON.stringify({ status: 'ready' }));
    }).listen(0, '127.0.0.1');
    await once(instance, 'listening');
    const { port } = instance.address() as AddressInfo;
    const servers = {
      EVENT_STORE_URL: 'esdb://hush:hush@127.0.0.1:9?tls=false',
      READ_MODEL_URL: `mongodb://hush:hush@127.0.0.1:${port}/hiring?serverSelectionTimeoutMS=500`,
      PORT: String(port),
      JWKS_URL: `http://127.0.0.1:${port}/hush`,
      SMS_WEBHOOK_URL: 'http://127.0.0.1:9/?token=hush',
      SMTP_URL: 'smtp://hush:hush@127.0.0.1:9',
    };
    const { JWT_SECRET: _, ...withoutSecret } = configured;
    const { code, stdout } = await runCli(directory, ['doctor'], { ...withoutSecret, ...servers });
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /BAD {2}event log +EventStoreDB does not answer; does a server run at EVENT_STORE_URL, 127\.0\.0\.1:9\?\n/,
    );
    expect(stdout).to.match(/BAD {2}read models +\S.*; 127\.0\.0\.1:\d+ takes connections: is that server stopped/);
    expect(stdout).to.match(/ok {3}clock +/);
    instance.close();
    expect(stdout).to.match(
      /BAD {2}JWKS_URL +127\.0\.0\.1:\d+ does not answer as it should: JSON Web Key Set malformed; /,
    );
    for (const name of ['SMS_WEBHOOK_URL', 'SMTP_URL'])
      expect(stdout).to.match(
        new RegExp(`BAD {2}${name} +127\\.0\\.0\\.1:9 does not answer as it should: ECONNREFUSED; is ${name} right`),
      );
    expect(stdout).not.to.include('hush');
    expect(stdout).to.match(/ok {3}port +an instance listens at /);
    expect(asked).to.equal(1);
  });

  it('takes a key set that is answered, and what takes connections, for no fault', async () => {
    const server = createServer((_request, response) => response.end('{"keys":[]}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const found = await diagnoseExternalServices({
      tokens: { kind: 'jwks', url },
      mail: { kind: 'log' },
      sms: { kind: 'webhook', url },
      roads: { kind: 'osrm', url },
    });
    server.close();
    expect(found.map(({ subject, isWell }) => [subject, isWell])).to.deep.equal([
      ['JWKS_URL', true],
      ['SMS_WEBHOOK_URL', true],
      ['ROAD_ROUTER_URL', true],
    ]);
  });

  it('finds an instance that was stopped', async function () {
    if (process.platform !== 'linux') this.skip();
    const listening = "require('net').createServer().listen(0, function () { console.log(this.address().port) })";
    const child = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [printed] = (await once(child.stdout, 'data')) as [Buffer];
      child.kill('SIGSTOP');
      const { code, stdout } = await runCli(directory, ['doctor'], {
        ...configured,
        EVENT_STORE_URL: 'esdb://127.0.0.1:9?tls=false',
        READ_MODEL_URL: 'mongodb://127.0.0.1:9/hiring?serverSelectionTimeoutMS=500',
        PORT: printed.toString().trim(),
      });
      const continues = `kill -CONT ${child.pid} continues it`;
      expect(stdout).to.match(
        new RegExp(
          `BAD {2}service +process ${child.pid} \\(\\S+\\) listens at .*, and DOES NOT ANSWER: .*; ${continues}`,
        ),
      );
      expect(code).to.equal(1);
    } finally {
      child.kill('SIGKILL');
    }
  });

  withBothServers('hiring doctor on servers', ({ eventStore, mongo }) => {
    it('takes an instance that listens for no fault', async () => {
      const database = newDatabase(mongo);
      const environment = {
        ...configured,
        EVENT_STORE_URL: eventStore,
        EVENT_STORE_PREFIX: newPrefix(),
        READ_MODEL_URL: database.url,
      };
      const { url } = await serveHere(directory, environment);
      await untilReady(url);
      const { code, stdout } = await runCli(directory, ['doctor'], { ...environment, PORT: new URL(url).port });
      await endLeftServices();
      await database.drop();
      expect(stdout).to.match(/^ok {3}port +an instance listens at http:\S+$/m);
      expect(stdout).to.match(/^ok {3}service +at http:\S+ is ready: /m);
      expect(code).to.equal(0);
    });
  });
});
