import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openHostile, uploadHead, type HostileSocket } from '../http/hostile-socket.ts';
import { parseAnswer } from '../http/raw-socket.ts';
import { eventually } from '../support/eventually.ts';
import { killLeftProcesses, processKeys, serveProcess, type Running } from '../support/process.ts';
import { readFigures } from '../support/process-figures.ts';

const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** Tolerance for a busy machine. */
const SLACK_MS = 5_000;

/** Sends bytes at intervals for as long as the connection is open. */
const drip = (client: HostileSocket, everyMs: number, bytes = 'a'): HostileSocket => {
  const timer = setInterval(() => client.socket.write(bytes), everyMs);
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
    idle = (await readFigures(service.url)).openConnections;
    const { url } = service;
    clients.set('that says nothing', await openHostile(url));
    clients.set('with headers', drip(await openHostile(url, 'GET / HTTP/1.1\r\nHost: a\r\nX-A: '), 500));
    clients.set('with a body', drip(await openHostile(url, uploadHead(processKeys.internal, 1_000)), 500));
    const large = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20);
    clients.set('to read', await openHostile(url, large, { isReading: false }));
    clients.set(
      'to read, and sends blank lines',
      drip(await openHostile(url, large, { isReading: false }), 500, '\r\n'),
    );
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

  it('to read has its connection closed within 30 s, whatever it sends, and then all connections are gone', async () => {
    const connections = async () => (await readFigures(service.url)).openConnections;
    await eventually('no connection is left', async () => (await connections()) <= idle, REQUEST_MS);
    expect(performance.now() - client('to read').openedAt).to.be.within(REQUEST_MS / 2, REQUEST_MS + SLACK_MS);
  });

  it('because the service stood still is served, once its request has arrived whole', async () => {
    const standing = await serveProcess(await mkdtemp(join(directory, 'standing-')));
    const waiting = await openHostile(standing.url);
    // Connections are accepted in turn: this one's is open when a later one has been answered.
    await readFigures(standing.url);
    process.kill(standing.pid, 'SIGSTOP');
    waiting.socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    await delay(HEADERS_MS + SLACK_MS);
    process.kill(standing.pid, 'SIGCONT');
    await eventually('it is answered', () => waiting.received() !== '');
    expect(parseAnswer(waiting.received())).to.deep.include({ status: 200, body: { status: 'live' } });
    waiting.socket.destroy();
    await standing.end('SIGKILL');
  });

  it('with headers is told so while the service stops as well, which waits no longer for it', async () => {
    const stopping = await serveProcess(await mkdtemp(join(directory, 'stopping-')));
    const slow = drip(await openHostile(stopping.url, 'GET / HTTP/1.1\r\nHost: a\r\nX-A: '), 500);
    expect(await stopping.end('SIGTERM')).to.equal(0);
    expect(await slow.closed).to.be.within(HEADERS_MS / 2, HEADERS_MS + SLACK_MS);
    expect(parseAnswer(slow.received())).to.deep.include({ status: 408 });
  });
});
