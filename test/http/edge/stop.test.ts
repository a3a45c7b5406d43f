import { expect } from 'chai';
import { EventEmitter, once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { listen, type ListeningServer } from '../../../src/http/edge/listen.ts';
import { phoneNumbers } from '../../support/examples.ts';
import { startCheckedService, startWithPorts } from '../checked-service.ts';

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 'refused',
  );

/** Node.js by itself waits for 15 s for a silent connection, and for 6 s for one whose answer had begun before. */
const endsSoon = async (act: () => Promise<unknown>): Promise<void> => {
  const begin = performance.now();
  await act();
  expect(performance.now() - begin).to.be.below(4_000);
};
const LONG_MS = 60_000;
/** Longer than a stop takes from one look for idle connections to the next. */
const HELD_MS = 300;

const clientOf = async ({ url }: { readonly url: string }): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

describe('A stop', () => {
  it('finishes the request in flight, and refuses new connections', async () => {
    const signals = new EventEmitter();
    const service = await startWithPorts({
      codes: async () => {
        signals.emit('sending');
        await once(signals, 'go on');
      },
    });
    const { url } = service;
    const sending = once(signals, 'sending');
    const inFlight = service.send('POST', '/users/phone/codes', {
      as: 'professional',
      body: { phoneNumber: phoneNumbers.wanted },
    });
    await sending;
    const stopped = service.stop();
    let status: number | string = 200;
    while (status !== 'refused') status = await statusOf(`${url}/health/live`);

    signals.emit('go on');
    const answer = await inFlight;
    expect(answer.status).to.equal(202);
    expect(answer.headers.get('Consistency-Token')).to.be.a('string');
    expect(answer.headers.get('Connection')).to.equal('close');
    await stopped;
  });

  it('closes connections that nothing is in flight on', async () => {
    const service = await startCheckedService();
    const socket = await clientOf(service);
    socket.write('GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n');
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await service.stop();
    await closed;
    expect(socket.destroyed).to.equal(true);
  });

  it('waits for no client that has sent nothing yet', async () => {
    const service = await startCheckedService();
    await clientOf(service);
    await endsSoon(() => service.stop());
  });
});

/** Without Koa and the service behind it. */
const listenWith = (handler: RequestListener): Promise<ListeningServer> =>
  listen(handler, '127.0.0.1', 0, {
    maxConnections: 10,
    trustedProxies: [],
    keepAliveSeconds: 65,
    onRefused: () => undefined,
  });

const REQUEST = 'GET / HTTP/1.1\r\nHost: test\r\n\r\n';

describe('A stop of what listens', () => {
  it('ends a connection with the answer that had begun before', async () => {
    const signals = new EventEmitter();
    const listening = await listenWith((_, response) => {
      response.write('begun');
      signals.once('go on', () => response.end());
    });
    const socket = await clientOf(listening);
    socket.write(REQUEST);
    await once(socket, 'data');
    await endsSoon(async () => {
      const stopped = listening.stop(LONG_MS);
      signals.emit('go on');
      await stopped;
    });
  });

  for (const when of ['before', 'during'] as const)
    it(`sends all of an answer that ended ${when} it, to a client that reads slowly`, async () => {
      // Given an answer larger than what the kernel takes at once
      const body = Buffer.alloc(20_000_000, 'x');
      const signals = new EventEmitter();
      const listening = await listenWith((_, response) => {
        signals.once('answer', () => response.end(body));
        signals.emit('asked');
      });
      const socket = await clientOf(listening);
      const asked = once(signals, 'asked');
      socket.write(REQUEST);
      await asked;

      // When
      if (when === 'before') signals.emit('answer');
      const stopped = listening.stop(LONG_MS);
      if (when === 'during') signals.emit('answer');

      // Then
      let bytes = 0;
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        await delay(1);
      }
      expect(bytes).to.be.above(body.length);
      await stopped;
    });

  it('closes a connection on which nothing has come while another client reads slowly', async () => {
    const listening = await listenWith((_, response) => response.end(Buffer.alloc(20_000_000, 'x')));
    const [reader, silent] = [await clientOf(listening), await clientOf(listening)];
    reader.write(REQUEST);
    await once(reader, 'readable');
    const closed = once(silent.resume(), 'close');
    const stopped = listening.stop(LONG_MS);
    await endsSoon(() => closed);
    reader.destroy();
    await stopped;
  });

  it('answers a request that arrived while the event loop was held', async () => {
    const listening = await listenWith((_, response) => response.end('answered'));
    const socket = await clientOf(listening);
    // Connections are accepted in turn, so the client's is when that of a later one has been answered.
    await fetch(listening.url);
    socket.write(REQUEST);
    const answer = once(socket, 'data');
    const stopped = listening.stop(LONG_MS);
    const begin = performance.now();
    while (performance.now() - begin < HELD_MS);
    expect(String((await answer)[0])).to.match(/answered$/);
    await stopped;
  });
});
