import { expect } from 'chai';
import { apiKeys } from '../support/examples.ts';
import { checkRules } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { exchangeBytes, parseAnswer } from './raw-socket.ts';
import { putFacts, unchanged } from './stories.ts';

const close = 'Host: test\r\nConnection: close\r\n';
const json = `${close}X-API-Key: ${apiKeys.internal}\r\nContent-Type: application/json\r\n`;
const line = 'PUT /internal/offices/office-bright HTTP/1.1\r\n';
const body = '{"officeName":"Changed"}';

describe('What is hardly HTTP', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  after('whatever was sent, the service is as it was', async () => {
    const { status } = await service.send('GET', '/health/ready');
    await service.stop();
    expect(status).to.equal(200);
  });

  /** Name, bytes and the statuses that are allowed. */
  const cases: readonly [string, string | Buffer, readonly number[]][] = [
    ['words', 'hello\r\n\r\n', [400]],
    ['an empty request line', '\r\n\r\n \r\n\r\n', [400]],
    ['bytes', Buffer.from([0, 1, 2, 0xff, 0xfe, 13, 10, 13, 10]), [400]],
    ['a TLS greeting', Buffer.from('1603010200010001fc0303', 'hex'), [400]],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 404, 405, 505]],
    ['another protocol', `GET /health/live HTTQ/1.1\r\n${close}\r\n`, [400]],
    ['an unknown method', `FROB /health/live HTTP/1.1\r\n${close}\r\n`, [400, 405, 501]],
    ['a method in lower case', `get /health/live HTTP/1.1\r\n${close}\r\n`, [400, 405, 501]],
    ['no Host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', [400]],
    [
      'no Host, writing',
      `${line}${json.replace('Host: test\r\n', '')}Content-Length: ${body.length}\r\n\r\n${body}`,
      [400],
    ],
    ['an expectation that cannot be met', `${line}${json}Expect: the-moon\r\nContent-Length: 2\r\n\r\n{}`, [400, 417]],
    ['a Content-Length that is a word', `${line}${json}Content-Length: abc\r\n\r\n${body}`, [400]],
    ['a negative Content-Length', `${line}${json}Content-Length: -1\r\n\r\n${body}`, [400]],
    ['a Content-Length out of bounds', `${line}${json}Content-Length: ${'9'.repeat(30)}\r\n\r\n${body}`, [400, 413]],
    ['two Content-Lengths', `${line}${json}Content-Length: 5\r\nContent-Length: 24\r\n\r\n${body}`, [400]],
    [
      'Content-Length and chunks',
      `${line}${json}Content-Length: 24\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      [400],
    ],
    ['chunks of no length', `${line}${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`, [400]],
    [
      'chunks of a negative length',
      `${line}${json}Transfer-Encoding: chunked\r\n\r\n-1\r\n${body}\r\n0\r\n\r\n`,
      [400],
    ],
    ['chunks of another length', `${line}${json}Transfer-Encoding: chunked\r\n\r\n5\r\n${body}\r\n0\r\n\r\n`, [400]],
    ['another transfer coding', `${line}${json}Transfer-Encoding: gzip\r\n\r\n${body}`, [400, 501]],
    ['a header without a name', `GET /health/live HTTP/1.1\r\n${close}: x\r\n\r\n`, [400]],
    ['a header with a blank in its name', `GET /health/live HTTP/1.1\r\n${close}X A: x\r\n\r\n`, [400]],
    ['a header over two lines', `GET /health/live HTTP/1.1\r\n${close}X-A: x\r\n y\r\n\r\n`, [400]],
    ['a header with NUL', `GET /health/live HTTP/1.1\r\n${close}X-A: \0\r\n\r\n`, [400]],
    ['a huge header', `GET /health/live HTTP/1.1\r\n${close}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, [431]],
    ['a huge path', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${close}\r\n`, [400, 414, 431]],
    ['a path without a slash', `GET health HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['a path of bytes', `GET /postings/\xe9\xa0/candidates HTTP/1.1\r\n${close}\r\n`, [400]],
    ['a path with a blank', `GET /postings/a b/candidates HTTP/1.1\r\n${close}\r\n`, [400]],
    ['an address with half a host', `GET http://[ HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['an address with a bad host', `GET http://a[b/postings/saved HTTP/1.1\r\n${close}\r\n`, [400, 401, 404]],
    ['an address with half an IPv6 host', `GET http://[::1/postings/saved HTTP/1.1\r\n${close}\r\n`, [400, 401, 404]],
    ['an address with a bad port', `GET http://a:99999999/nothing HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['an address of another scheme', `GET ftp://x/nothing HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['a path that climbs', `GET /docs/../../../etc/passwd HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['an encoded path that climbs', `GET /docs/%2e%2e%2f%2e%2e%2fetc%2fpasswd HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['a path of backslashes', `GET /docs/..\\..\\x HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['slashes only', `GET ////// HTTP/1.1\r\n${close}\r\n`, [400, 404]],
    ['a host in the path', `GET //example.com/postings/saved HTTP/1.1\r\n${close}\r\n`, [400, 404]],
  ];
  for (const [name, bytes, statuses] of cases)
    it(`as ${name} is refused with the error object, and does nothing`, () =>
      unchanged(service, async () => {
        const text = await exchangeBytes(service.url, bytes);
        const answer = parseAnswer(text);
        expect(statuses, text.slice(0, 300)).to.include(answer?.status);
        if (answer) checkRules('GET', answer);
      }));

  it('as an upgrade to another protocol is answered as if it had not asked', async () => {
    const upgrade =
      'GET /health/live HTTP/1.1\r\nHost: test\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n';
    expect(parseAnswer(await exchangeBytes(service.url, upgrade))?.status).to.equal(200);
  });

  it('is an address with scheme and host, which is served', async () => {
    const text = await exchangeBytes(service.url, `GET http://test/health/live HTTP/1.1\r\n${close}\r\n`);
    expect(parseAnswer(text)).to.deep.include({ status: 200, body: { status: 'live' } });
  });

  it('as a body that is cut off by the sender changes nothing, and leaves the service as it was', async () => {
    await unchanged(service, async () => {
      const controller = new AbortController();
      const endless = new ReadableStream({
        start(stream) {
          stream.enqueue(Buffer.from('{"officeName":"X"'));
          setImmediate(() => controller.abort());
        },
      });
      const request = {
        method: 'PUT',
        headers: { 'X-API-Key': apiKeys.internal, 'Content-Type': 'application/json' },
        body: endless,
        duplex: 'half' as const,
        signal: controller.signal,
      };
      const outcome = await fetch(`${service.url}/internal/offices/office-bright`, request).then(
        () => 'answered',
        () => 'cut off',
      );
      expect(outcome).to.equal('cut off');
      expect((await service.send('GET', '/health/live')).status).to.equal(200);
    });
  });
});
