import { expect } from 'chai';
import { expectError } from '../answer-rules.ts';
import { startCheckedService, type CheckedService } from '../checked-service.ts';
import { exchangeBytes, parseAnswer } from '../raw-socket.ts';

const KILOBYTE = 1_024;
const id = 'a-request-of-the-client';
const common = { 'X-Request-Id': id };

describe('The head of a request', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService();
  });
  after(() => service.stop());

  const send = (path: string, headers: Readonly<Record<string, string | readonly string[]>> = {}) =>
    service.sendBytes('GET', path, { as: 'professional', headers: { ...common, ...headers } });
  /** A request target of so many bytes. */
  const addressOf = (bytes: number) => '/postings/saved?x='.padEnd(bytes, 'a');

  it('is a 414 with an address of over 8 KiB, under the request id of the client', async () => {
    expect((await send(addressOf(8 * KILOBYTE))).status).to.equal(200);
    for (const bytes of [8 * KILOBYTE + 1, 20_000]) {
      const answer = await send(addressOf(bytes));
      expectError(answer, 414, /at most 8192 bytes/);
      expect(answer.headers.get('X-Request-Id')).to.equal(id);
    }
  });

  it('is a 431 with headers of over 16 KiB, under the request id of the client', async () => {
    expect((await send('/postings/saved', { 'X-Long': 'a'.repeat(15 * KILOBYTE) })).status).to.equal(200);
    for (const bytes of [16 * KILOBYTE, 20_000]) {
      const answer = await send('/postings/saved', { 'X-Long': 'a'.repeat(bytes) });
      expectError(answer, 431, /at most 16384 bytes/);
      expect(answer.headers.get('X-Request-Id')).to.equal(id);
    }
  });

  it('is a 431 with a thousand headers, however short', async () => {
    const bytes = `GET /postings/saved HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(1_000)}Connection: close\r\n\r\n`;
    expect(parseAnswer(await exchangeBytes(service.url, bytes))?.status).to.equal(431);
  });

  for (const [what, request] of [
    ['headers', `GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nX-A: ${'a'.repeat(24 * KILOBYTE)}\r\n\r\n`],
    ['an address', `GET http://${'%e4%b8%80'.repeat(13_500)}/ HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`],
  ] as const)
    it(`is a 431 with ${what} of over 24 KiB, unread, with the headers of every answer and an id of its own`, async () => {
      const answer = parseAnswer(await exchangeBytes(service.url, request));
      expect(answer).to.deep.include({ status: 431, body: { error: 'The head of the request is too large' } });
      expect(answer?.headers.get('X-Request-Id')).to.match(/^[\da-f-]{36}$/);
      const { headers: usual } = await service.send('GET', '/nothing', { key: null });
      for (const [name, value] of usual)
        if (!['x-request-id', 'error-code', 'date', 'content-length', 'connection', 'keep-alive'].includes(name))
          expect(answer?.headers.get(name), name).to.equal(value);
    });

  it('is a 417 with an expectation that cannot be met, under the request id of the client', async () => {
    const answer = await send('/postings/saved', { Expect: 'the-moon' });
    expectError(answer, 417, /100-continue/);
    expect(answer.headers.get('X-Request-Id')).to.equal(id);
    expect(answer.headers.get('Strict-Transport-Security')).to.match(/max-age/);
  });

  it('may expect what it likes in HTTP/1.0, where that means nothing', async () => {
    const text = await exchangeBytes(service.url, 'GET /health/live HTTP/1.0\r\nExpect: the-moon\r\n\r\n');
    expect(parseAnswer(text)?.status).to.equal(200);
  });

  it('is a 400 with two Hosts, also the same', async () => {
    for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nhost: a', 'Host: a\r\nHost:']) {
      const bytes = `GET /health/live HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`;
      const answer = parseAnswer(await exchangeBytes(service.url, bytes));
      expect(answer).to.deep.include({ status: 400, body: { error: 'The header Host must not be given twice' } });
    }
  });

  const statusOf = async (head: string) =>
    parseAnswer(await exchangeBytes(service.url, `${head}\r\nConnection: close\r\n\r\n`))?.status;

  for (const host of ['a b@/', 'a/b', 'a?b', 'a@b', '[::1', 'a:b', '%4', 'a,b c'])
    it(`is a 400 with the Host ${host}`, async () => {
      expect(await statusOf(`GET /health/live HTTP/1.1\r\nHost: ${host}`)).to.equal(400);
    });

  for (const host of ['a@b', '[::1', 'a:b', '%4', ''])
    it(`is a 400 with an address whose host is "${host}"`, async () => {
      expect(await statusOf(`GET http://${host}/health/live HTTP/1.1\r\nHost: a`)).to.equal(400);
    });

  for (const host of ['a', 'hiring.example.com:8080', '127.0.0.1', '[::1]:80', 'b%C3%BCro', 'a_b'])
    it(`may name the host ${host}`, async () => {
      expect(await statusOf(`GET /health/live HTTP/1.1\r\nHost: ${host}`)).to.equal(200);
      expect(await statusOf(`GET http://${host}/health/live?x HTTP/1.1\r\nHost: a`)).to.equal(200);
    });
});
