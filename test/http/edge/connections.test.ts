import { expect } from 'chai';
import { EventEmitter, once } from 'node:events';
import { Server, type RequestListener } from 'node:http';
import { listen } from '../../../src/http/edge/listen.ts';
import { parseCidrBlock } from '../../../src/lib/ip-address.ts';
import { apiKeys } from '../../support/examples.ts';
import { eventually } from '../../support/eventually.ts';
import { startCheckedService, type CheckedService } from '../checked-service.ts';
import { openHostile, uploadHead, type HostileSocket } from '../hostile-socket.ts';
import { parseAnswer } from '../raw-socket.ts';

const HEADERS_MS = 10_000;

/** Without Koa and the service behind it. */
const listenWith = (handler: RequestListener, refused: string[], maxConnections = 10) =>
  listen(handler, '127.0.0.1', 0, {
    maxConnections,
    trustedProxies: [],
    keepAliveSeconds: 65,
    onRefused: (reason) => refused.push(reason),
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
  const live = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
  const clients: HostileSocket[] = [];
  let service: CheckedService;
  beforeEach(async () => {
    const trustedProxies = [parseCidrBlock('127.0.0.9')].filter((block) => block !== undefined);
    service = await startCheckedService({ maxConnections: max, trustedProxies });
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    await service.stop();
  });
  const open = async (bytes?: string, from?: string): Promise<HostileSocket> => {
    const client = await openHostile(service.url, bytes, from === undefined ? {} : { from });
    clients.push(client);
    return client;
  };
  const openMany = async (count: number, bytes?: string, from?: string): Promise<void> => {
    for (let opened = 1; opened <= count; opened++) await open(bytes, from);
  };
  /** A connection that was answered once, and is kept alive. */
  const openIdle = async (from: string): Promise<HostileSocket> => {
    const client = await open(live, from);
    await eventually('it is answered', () => client.received().includes('"live"'));
    return client;
  };
  const expectServed = async (client: HostileSocket): Promise<void> => {
    client.socket.write(live);
    await eventually('it is answered again', () => client.received().split('"live"').length === 3);
  };
  const isServed = async () => (await service.sendBytes('GET', '/health/live')).status === 200;

  it('close those that say nothing, the oldest first, and lock no client out', async () => {
    const first = await open();
    for (let count = 1; count <= 5 * max; count++) await open(count % 2 ? '' : 'GET / HTTP/1.1\r\nX-A: ');
    expect(await isServed()).to.equal(true);
    expect(await first.closed).to.be.below(HEADERS_MS / 2);
  });

  it('close those of the address that holds most, and leave idle ones of others alone', async () => {
    const idle = await openIdle('127.0.0.2');
    await openMany(2 * max, '', '127.0.0.3');
    await expectServed(idle);
  });

  it('close those of trusted proxies after all others', async () => {
    const proxied = await openIdle('127.0.0.9');
    await openMany(max - 3, live, '127.0.0.9');
    await openMany(2 * max, '', '127.0.0.3');
    await expectServed(proxied);
  });

  it('close none whose request is coming in, as long as others of its address say nothing', async () => {
    const body = '{"officeName":"A"}';
    const uploading = await open(uploadHead(apiKeys.internal, body.length), '127.0.0.3');
    let sent = 0;
    const dripping = setInterval(() => uploading.socket.write(body.slice(sent, ++sent)), 100);
    await openMany(2 * max, uploadHead(apiKeys.internal, 1_000), '127.0.0.3');
    await eventually('another client is served', isServed);
    await eventually('all of it has come', () => uploading.received().includes(' 204 '));
    clearInterval(dripping);
  });

  it('close none of other addresses while that which holds most is being answered', async () => {
    let answering = 0;
    const listening = await listenWith(
      () => {
        answering++;
      },
      [],
      max,
    );
    const idle = await openHostile(listening.url, '', { from: '127.0.0.2' });
    for (let opened = 2; opened <= max; opened++) clients.push(await openHostile(listening.url, live));
    await eventually('all of one address are being answered', () => answering === max - 1);
    const late = await openHostile(listening.url, live);
    expect(await late.closed).to.be.below(HEADERS_MS / 2);
    expect(idle.socket.destroyed).to.equal(false);
    idle.socket.destroy();
    for (const { socket } of clients.splice(0)) socket.destroy();
    await listening.stop(1_000);
  });

  it('close those whose bodies never come', async () => {
    await openMany(max, uploadHead(apiKeys.internal, 1_000), '127.0.0.3');
    await eventually('another client is served', isServed);
  });

  it('are closed themselves while all others are being answered', async () => {
    const refused: string[] = [];
    const answers: (() => void)[] = [];
    const listening = await listenWith((_, response) => answers.push(() => response.end('answered')), refused, max);
    const connections = Array.from({ length: max }, () => fetch(listening.url));
    await eventually('all are being answered', () => answers.length === max);

    const late = await openHostile(listening.url, live);
    expect(await late.closed).to.be.below(HEADERS_MS / 2);
    expect(late.received()).to.equal('');
    expect(refused).to.deep.equal([`${max} are open`]);

    for (const answer of answers) answer();
    for (const answer of await Promise.all(connections)) expect(await answer.text()).to.equal('answered');
    await listening.stop(1_000);
  });

  it('close those that read nothing of an answer', async () => {
    const listening = await listenWith((_, response) => response.end(Buffer.alloc(20_000_000)), [], max);
    for (let opened = 1; opened <= max; opened++)
      clients.push(await openHostile(listening.url, live, { isReading: false }));
    await eventually('another client is served', async () => {
      const client = await openHostile(listening.url, live);
      clients.push(client);
      await Promise.race([client.closed, once(client.socket, 'data')]);
      return client.received() !== '';
    });
    for (const { socket } of clients) socket.destroy();
    await listening.stop(1_000);
  });
});

describe('A connection on which no answer is due', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService({ keepAliveSeconds: 1 });
  });
  after(() => service.stop());

  for (const [what, bytes] of [
    ['', ''],
    [', whatever blank lines its client sends', '\r\n'],
  ] as const)
    it(`is closed after KEEP_ALIVE_SECONDS, which answers tell${what}`, async () => {
      const client = await openHostile(service.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
      const dripping = setInterval(() => client.socket.write(bytes), 100);
      // A blank line may be the beginning of a head.
      expect(await client.closed).to.be.within(1_000, HEADERS_MS + 5_000);
      clearInterval(dripping);
      expect(client.received()).to.match(/\r\nKeep-Alive: timeout=1\r\n/);
    });

  it('is left alone while a head is coming, which has its time', async () => {
    const head = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
    const client = await openHostile(service.url, head);
    await eventually('the first is answered', () => client.received().includes('"live"'));
    let sent = 0;
    // For longer than an idle connection is kept.
    const dripping = setInterval(() => client.socket.write(head.slice(sent, ++sent)), 80);
    await eventually('the second is answered', () => client.received().split('"live"').length === 3);
    clearInterval(dripping);
    client.socket.destroy();
  });
});

describe('A client that leaves', () => {
  it('is noticed while a further request of it waits', async () => {
    const gone = new EventEmitter();
    const begun = once(gone, 'begun');
    const left = once(gone, 'left');
    const listening = await listenWith((_, response) => {
      response.once('close', () => gone.emit('left'));
      gone.emit('begun');
    }, []);
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const client = await openHostile(listening.url, request.repeat(2));
    await begun;
    client.socket.destroy();
    await left;
    await listening.stop(1_000);
  });
});

describe('A server whose process may open no more files', () => {
  it('is told so each time, and listens all the same', async () => {
    const refused: string[] = [];
    const listening = await listenWith(({ socket }, response) => {
      // As Node.js reports it.
      const server: unknown = Reflect.get(socket, 'server');
      if (server instanceof Server) server.emit('error', new Error('accept EMFILE'));
      response.end('answered');
    }, refused);
    const answers = [];
    for (let count = 1; count <= 3; count++) answers.push(await (await fetch(listening.url)).text());
    await listening.stop(1_000);
    expect(answers).to.deep.equal(['answered', 'answered', 'answered']);
    expect(refused).to.deep.equal(['accept EMFILE', 'accept EMFILE', 'accept EMFILE']);
  });
});
