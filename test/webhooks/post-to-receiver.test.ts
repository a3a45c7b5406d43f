import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { postToReceiver, type PostOptions } from '../../src/webhooks/post-to-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver, type Receiver } from '../support/webhook-receiver.ts';

const body = JSON.stringify({
  type: 'OfficeRecorded',
  timestamp: '2026-03-02T09:00:00.000Z',
  id: 'event-1',
  entity: 'office-1',
  revision: 0,
  position: '1',
  version: 1,
  data: {},
});

/** A name server that gives other addresses each time. */
const nameServer = (...answers: readonly (readonly string[])[]) => {
  const left = [...answers];
  return () =>
    Promise.resolve((left.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
};

describe('a post to a receiver', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  const send = (url: string, options: Partial<PostOptions> = {}) =>
    postToReceiver(new URL(url), {}, body, {
      allowed: { networks: [], isLoopbackAllowed: true },
      timeoutMs: 5_000,
      signal: new AbortController().signal,
      ...options,
    });
  const named = (): string => receiver.url.replace('127.0.0.1', 'hooks.example.com');
  const notThisMachine = { networks: [], isLoopbackAllowed: false };

  it('tells the status of the answer, and how long it took', async () => {
    receiver.answer(201);
    const { milliseconds, ...posted } = await send(receiver.url);
    expect(posted).to.deep.equal({ status: 201, failure: null });
    expect(milliseconds).to.be.within(0, 5_000);
  });

  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0', '[::]'])
    it(`is refused to the literal address ${host}`, async () => {
      const posted = await send(receiver.url.replace('127.0.0.1', host), { allowed: notThisMachine });
      expect(posted).to.include({ status: null, failure: 'ADDRESS_NOT_ALLOWED' });
      expect(receiver.received).to.deep.equal([]);
    });

  for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://[fd00:ec2::254]/', 'https://10.0.0.1/'])
    it(`is refused to ${url}`, async () => {
      expect(await send(url)).to.include({ status: null, failure: 'ADDRESS_NOT_ALLOWED' });
    });

  it('is refused to a name whose addresses are all internal', async () => {
    const lookup = nameServer(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1']);
    const posted = await send(named(), { lookup, allowed: notThisMachine });
    expect(posted).to.include({ status: null, failure: 'ADDRESS_NOT_ALLOWED' });
    expect(receiver.received).to.deep.equal([]);
  });

  it('goes to an allowed address among others', async () => {
    expect(await send(named(), { lookup: nameServer(['169.254.169.254', '127.0.0.1']) })).to.include({ status: 204 });
  });

  it('looks a name up once for each try, and goes nowhere else: a name server that changes its mind gains nothing', async () => {
    const lookup = nameServer(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']);
    const found = [await send(named(), { lookup }), await send(named(), { lookup }), await send(named(), { lookup })];
    expect(found.map(({ status, failure }) => status ?? failure)).to.deep.equal([204, 'ADDRESS_NOT_ALLOWED', 204]);
  });

  it('looks a name up no second time meanwhile, since a name server that does not answer holds a thread', async () => {
    let [underWay, most] = [0, 0];
    const lookup = async () => {
      most = Math.max(most, ++underWay);
      await setImmediate();
      underWay--;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const posted = await Promise.all(Array.from({ length: 8 }, () => send(named(), { lookup })));
    expect(posted.map(({ status }) => status)).to.deep.equal(Array.from({ length: 8 }, () => 204));
    expect(most).to.equal(1);
  });

  it('does not follow a redirect', async () => {
    receiver.answer((response: ServerResponse) => {
      response.writeHead(307, { Location: `${receiver.url}/elsewhere` }).end();
    });
    expect(await send(receiver.url)).to.include({ status: 307, failure: null });
    expect(receiver.received.map(({ path }) => path)).to.deep.equal(['/hooks']);
  });

  it('does not wait for the end of an answer that has none', async () => {
    let isClosed = false;
    receiver.answer((response: ServerResponse) => {
      response.on('close', () => (isClosed = true));
      const write = () => {
        while (!isClosed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', write).writeHead(200);
      write();
    });
    expect(await send(receiver.url)).to.include({ status: 200, failure: null });
    await eventually('the connection is closed', () => isClosed);
  });

  it('is given up where no answer comes in time', async () => {
    receiver.answer('hang');
    expect(await send(receiver.url, { timeoutMs: 50 })).to.include({ status: null, failure: 'TIMEOUT' });
  });

  it('ends a slow answer at the same time, and until then leaves no connection behind', async () => {
    let isClosed = false;
    receiver.answer((response: ServerResponse) => {
      response.on('close', () => (isClosed = true));
      response.writeHead(200).write('.');
    });
    const began = performance.now();
    expect(await send(receiver.url, { timeoutMs: 200 })).to.include({ status: 200 });
    expect(performance.now() - began).to.be.at.least(190);
    await eventually('the connection is closed', () => isClosed);
  });

  it('is given up where another protocol is offered', async () => {
    receiver.answer(({ socket }: ServerResponse) => {
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    });
    expect(await send(receiver.url)).to.include({ status: null, failure: 'NO_ANSWER' });
  });

  it('is given up where headers are endless', async () => {
    receiver.answer((response: ServerResponse) => {
      response.writeHead(200, { 'X-Long': 'a'.repeat(100_000) }).end();
    });
    expect(await send(receiver.url)).to.include({ status: null, failure: 'HPE_HEADER_OVERFLOW' });
  });

  it('tells of a receiver that ends the connection, and of one that is not there', async () => {
    receiver.answer('reset');
    expect(await send(receiver.url)).to.include({ status: null, failure: 'ECONNRESET' });
    await receiver.kill();
    expect(await send(receiver.url)).to.include({ status: null, failure: 'ECONNREFUSED' });
  });

  it('does not speak TLS to a receiver that has none', async () => {
    const { status, failure } = await send(receiver.url.replace('http:', 'https:'));
    expect([status, failure === null]).to.deep.equal([null, false]);
  });
});
