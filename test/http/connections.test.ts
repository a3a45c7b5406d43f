import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../../src/http/listen.ts';
import { apiKeys } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { killLeftProcesses, processKeys, serveProcess, type Running } from '../support/process.ts';
import { readFigures } from '../support/process-figures.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { openHostile, type HostileSocket } from './hostile-socket.ts';
import { parseAnswer } from './raw-socket.ts';

const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** Tolerance for a busy machine. */
const SLACK_MS = 5_000;

const upload = (key: string, length: number) =>
  `PUT /internal/offices/a HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nX-Request-Id: an-upload\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** Sends a byte at intervals for as long as the connection is open. */
const drip = (client: HostileSocket, everyMs: number): HostileSocket => {
  const timer = setInterval(() => client.socket.write('a'), everyMs);
  void client.closed.then(() => clearInterval(timer));
  return client;
};

describe('A client that takes too long', () => {
  // It waits for the decided times themselves: 30 s, for all cases at once.
  let directory: string;
  let service: Running;
  let idle: number;
  const clients = new Map<string, HostileSocket>();
  const client = (name: string): HostileSocket => {
    const found = clients.get(name);
    if (!found) throw new Error(`There is no client ${name}`);
    return found;
  };

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-connections-'));
    service = await serveProcess(directory);
    idle = (await readFigures(service.url)).openFiles;
    const { url } = service;
    clients.set('that says nothing', await openHostile(url));
    clients.set('with headers', drip(await openHostile(url, 'GET / HTTP/1.1\r\nHost: a\r\nX-A: '), 500));
    clients.set('with a body', drip(await openHostile(url, upload(processKeys.internal, 1_000)), 500));
    const large = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20);
    clients.set('to read', await openHostile(url, large, { isReading: false }));
  });
  after(async () => {
    for (const { socket } of clients.values()) socket.destroy();
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  for (const name of ['that says nothing', 'with headers'])
    it(`${name} is told so, and its connection closed, within 10 s`, async () => {
      expect(await client(name).closed).to.be.within(HEADERS_MS / 2, HEADERS_MS + SLACK_MS);
      expect(parseAnswer(client(name).received())).to.deep.include({
        status: 408,
        body: { error: 'The request did not arrive in time' },
      });
    });

  it('with a body is told so under its request id, and its connection closed, within 30 s', async () => {
    expect(await client('with a body').closed).to.be.within(REQUEST_MS / 2, REQUEST_MS + SLACK_MS);
    const answer = parseAnswer(client('with a body').received());
    expect(answer).to.deep.include({ status: 408, body: { error: 'The request did not arrive in time' } });
    expect(answer?.headers.get('X-Request-Id')).to.equal('an-upload');
  });

  it('to read has its connection closed within 30 s, and then all connections are gone', async () => {
    const files = async () => (await readFigures(service.url)).openFiles;
    await eventually('no connection is left', async () => (await files()) <= idle, REQUEST_MS);
    expect(performance.now() - client('to read').openedAt).to.be.within(
      REQUEST_MS / 2,
      REQUEST_MS + SLACK_MS,
    );
  });
});

describe('A refused request with a body', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService();
  });
  after(() => service.stop());

  for (const [name, key, expects] of [
    ['', 'wrong', ''],
    [' that asks whether to send it', 'wrong', 'Expect: 100-continue\r\n'],
  ] as const)
    it(`of 2 GB${name} is answered at once, and not read`, async () => {
      const head = upload(key, 2e9).replace('\r\n\r\n', `\r\n${expects}\r\n`);
      const client = await openHostile(service.url, head);
      const chunk = Buffer.alloc(65_536, 'a');
      const { socket } = client;
      const send = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', send);
      send();
      expect(await client.closed).to.be.below(5_000);
      await eventually('it is closed both ways', () => socket.destroyed);
      expect(parseAnswer(client.received())?.status).to.equal(401);
      // At most what the buffers of two sockets hold.
      expect(socket.bytesWritten - socket.writableLength).to.be.below(50e6);
    });

  it('that has arrived already leaves the connection open', async () => {
    const body = '{"officeName":"A"}';
    const client = await openHostile(service.url, `${upload('wrong', body.length)}${body}`);
    await eventually('it is answered', () => client.received().includes('holds no known key'));
    expect(client.received())
      .to.match(/HTTP\/1\.1 401 /)
      .and.match(/\r\nConnection: keep-alive\r\n/);
    client.socket.destroy();
  });
});

describe('Connections beyond MAX_CONNECTIONS', () => {
  const max = 20;
  let service: CheckedService;
  const clients: HostileSocket[] = [];
  beforeEach(async () => {
    service = await startCheckedService({ maxConnections: max });
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    await service.stop();
  });
  const open = async (bytes?: string): Promise<HostileSocket> => {
    const client = await openHostile(service.url, bytes);
    clients.push(client);
    return client;
  };
  const isServed = async () => (await service.sendBytes('GET', '/health/live')).status === 200;

  it('close those that say nothing, the oldest first, and lock no client out', async () => {
    const first = await open();
    for (let count = 1; count <= 5 * max; count++) await open(count % 2 ? '' : 'GET / HTTP/1.1\r\nX-A: ');
    expect(await isServed()).to.equal(true);
    expect(await first.closed).to.be.below(HEADERS_MS / 2);
  });

  it('leave alone those that have asked, while others say nothing', async () => {
    const asked = await open('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('it is answered', () => asked.received().includes('"live"'));
    for (let count = 1; count <= 2 * max; count++) await open();
    asked.socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('it is answered again', () => asked.received().split('"live"').length === 3);
  });

  it('are closed themselves while all others are being answered', async () => {
    // The answer 100 Continue shows that the request is under way.
    const asking = upload(apiKeys.internal, 1_000).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n');
    for (let count = 1; count <= max; count++) {
      const client = await open(asking);
      await eventually('it is asked to go on', () => client.received().includes('100 Continue'));
    }
    const late = await open('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await late.closed).to.be.below(HEADERS_MS / 2);
    expect(late.received()).to.equal('');
    // Once one of the connections has closed there is room again.
    clients[0]?.socket.destroy();
    await eventually('there is room', isServed);
  });
});

describe('A process that may open no more files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-connections-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  it('goes on, and takes connections again when it may', async () => {
    const service = await serveProcess(directory);
    const allow = (files: number) =>
      execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${files}:20000`]);
    // Fewer than are open, so that libuv cannot reopen the spare file that it closes in this case.
    allow(10);
    for (let count = 1; count <= 50; count++)
      (await openHostile(service.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')).socket.destroy();
    allow(1_024);
    const statusOf = async (path: string) =>
      (await fetch(`${service.url}${path}`, { signal: AbortSignal.timeout(10_000) })).status;
    expect(await statusOf('/health/live')).to.equal(200);
    // A thread that could not open a file meanwhile tries again.
    await eventually('it is ready', async () => (await statusOf('/health/ready')) === 200);
    expect(await service.end('SIGTERM')).to.equal(0);
  });

  it('is told so each time, and listens all the same', async () => {
    const refused: string[] = [];
    const listening = await listen(
      ({ socket }, response) => {
        // As Node.js reports it.
        const server: unknown = Reflect.get(socket, 'server');
        if (server instanceof Server) server.emit('error', new Error('accept EMFILE'));
        response.end('answered');
      },
      '127.0.0.1',
      0,
      { maxConnections: 10, isUsableId: () => true, onRefused: (reason) => refused.push(reason) },
    );
    const answers = [];
    for (let count = 1; count <= 3; count++) answers.push(await (await fetch(listening.url)).text());
    await listening.stop(1_000);
    expect(answers).to.deep.equal(['answered', 'answered', 'answered']);
    expect(refused).to.deep.equal(['accept EMFILE', 'accept EMFILE', 'accept EMFILE']);
  });
});
