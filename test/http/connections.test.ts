import { expect } from 'chai';
import { Server } from 'node:http';
import { listen } from '../../src/http/listen.ts';
import { apiKeys } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { openHostile, uploadHead, type HostileSocket } from './hostile-socket.ts';
import { parseAnswer } from './raw-socket.ts';

const HEADERS_MS = 10_000;

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
      const head = uploadHead(key, 2e9).replace('\r\n\r\n', `\r\n${expects}\r\n`);
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
    const client = await openHostile(service.url, `${uploadHead('wrong', body.length)}${body}`);
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
    const asking = uploadHead(apiKeys.internal, 1_000).replace(
      '\r\n\r\n',
      '\r\nExpect: 100-continue\r\n\r\n',
    );
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

describe('A server whose process may open no more files', () => {
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
