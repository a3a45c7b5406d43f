import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { demoPlaintextApiKeys } from '../../src/config/demo.ts';
import { endLeftServices, runCli, serveHere } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { CLI, configured, environmentOf, killLeftProcesses, sendTo, serveProcess } from '../support/process.ts';
import { tokenFor, untilReady } from '../support/service.ts';
import { claims } from '../support/examples.ts';

describe('hiring serve', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-cli-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await endLeftServices();
    await rm(directory, { recursive: true });
  });

  it('names the process that has the data directory and leaves it alone, which ends with 0 on SIGTERM', async () => {
    const first = await serveProcess(directory);
    const second = await runCli(directory, ['serve']);
    expect(second).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: `hiring: The data directory ${directory} is in use by the process with pid ${first.pid}\n`,
    });
    await untilReady(first.url);
    expect(await first.end('SIGTERM')).to.equal(0);
  });

  it('goes on where its standard output cannot be written, and ends with 0 on SIGTERM', async () => {
    const full = openSync('/dev/full', 'w');
    const port = String(await freePort());
    const child = spawn(process.execPath, [CLI, 'serve'], {
      cwd: directory,
      env: environmentOf(directory, { ...configured, PORT: port }),
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    const exited = once(child, 'exit');
    try {
      await eventually('the service is ready', async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
        return answer?.status === 200;
      });
      child.kill('SIGTERM');
      expect(await exited).to.deep.equal([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('says in one line that the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await runCli(directory, ['serve'], { ...configured, PORT: String(port) });
    other.close();
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      `hiring: HOST and PORT name 127.0.0.1:${port}, where the service cannot listen now (EADDRINUSE); allowed: a free port of this machine\n`,
    );
  });

  it('refuses to start in production without keys and secrets, names what is missing, and makes no file', async () => {
    const { code, stderr } = await runCli(directory, ['serve'], { NODE_ENV: 'production' });
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      ['API_KEYS', 'JWT_SECRET or JWKS_URL', 'CODE_SECRET', 'SMTP_URL', 'SMS_WEBHOOK_URL']
        .map((name) => `hiring: ${name} is not set; allowed: in production it must be given\n`)
        .join(''),
    );
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('refuses to start the demo where other machines can reach it, and makes no file', async () => {
    const { code, stderr } = await runCli(directory, ['serve'], { HOST: '0.0.0.0' });
    expect(code).to.equal(2);
    expect(stderr).to.match(/^hiring: HOST is "0\.0\.0\.0", where [^\n]+ or ALLOW_DEMO=true\n$/);
    expect(await readdir(directory)).to.deep.equal([]);
  });

  for (const [where, more, status] of [
    ['the demo', {}, 201],
    ['a demo that other machines can reach', { HOST: '0.0.0.0', ALLOW_DEMO: 'true' }, 400],
  ] as const)
    it(`answers ${status} to a webhook with a receiver on this machine, in ${where}`, async () => {
      const service = await serveHere(directory, more);
      const answer = await sendTo(service, 'POST', '/internal/webhooks', {
        headers: { 'X-API-Key': demoPlaintextApiKeys.internal },
        body: { url: 'http://127.0.0.1:9000/', types: ['PostingClosed'] },
      });
      expect(answer.status).to.equal(status);
    });

  it('says why when events.db is no database', async () => {
    const file = join(directory, 'events.db');
    await writeFile(file, 'this is no database, but a text that is long enough to look at');
    const { code, stderr } = await runCli(directory, ['serve']);
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      `hiring: ${file} is damaged, and nothing was changed: file is not a database; docs/operating.md#backup says how it is restored\n`,
    );
  });

  it('seeds nothing and prints no keys when it is configured', async () => {
    const service = await serveHere(directory);
    const answer = await fetch(`${service.url}/postings/saved`, {
      headers: { 'X-API-Key': 'demo-client-key', Authorization: `Bearer ${await tokenFor(claims.professional)}` },
    });
    expect(answer.status).to.equal(401);
    expect(service.printed()).not.to.contain('demo');
    await service.end();
  });
});

describe('Bad arguments', () => {
  const faults: readonly (readonly [args: string, complaint: string])[] = [
    ['fly', "unknown command 'fly'"],
    ['serve now', "too many arguments for 'serve'. Expected 0 arguments but got 1."],
    ['serve --loud', "unknown option '--loud'"],
    [
      'seed --candidates many',
      "option '--candidates <number>' argument 'many' is invalid. It must be an integer from 1 to 10000000.",
    ],
    [
      'seed --seed -1',
      "option '--seed <number>' argument '-1' is invalid. It must be an integer from 0 to 4294967295.",
    ],
    ['token', "required option '--user <id>' not specified"],
    [
      'token --user a/b',
      "option '--user <id>' argument 'a/b' is invalid. It must be 1 to 128 characters out of A-Z a-z 0-9 . _ ~ | @ + = -, and not '.' or '..'.",
    ],
    ['projections burn', "unknown command 'burn'"],
  ];
  for (const [args, complaint] of faults)
    it(`hiring ${args}: one line, exit code 2, nothing changed`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'hiring-cli-'));
      const { code, stdout, stderr } = await runCli(directory, args.split(' '));
      expect({ code, stdout, stderr }).to.deep.equal({ code: 2, stdout: '', stderr: `hiring: ${complaint}\n` });
      expect(await readdir(directory)).to.deep.equal([]);
      await rm(directory, { recursive: true });
    });
});
