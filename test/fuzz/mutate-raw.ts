import { randomInteger, type Random } from '../../src/tools/seed/random.ts';
import { anyOf } from './draw.ts';

/** Changes of a whole request's text that no HTTP client would send. */
type Mutation = (text: string, random: Random) => string;

const HEAD_ENDS = '\r\n\r\n';
const withLine =
  (line: string): Mutation =>
  (text) =>
    text.replace(HEAD_ENDS, `\r\n${line}${HEAD_ENDS}`);

const mutations: readonly Mutation[] = [
  // Any byte becomes any other.
  (text, random) => {
    const place = randomInteger(random, 0, text.length - 1);
    return text.slice(0, place) + String.fromCharCode(randomInteger(random, 0, 255)) + text.slice(place + 1);
  },
  (text, random) => {
    const place = randomInteger(random, 0, text.length - 1);
    return text.slice(0, place) + anyOf(random, ['\0', '\r', '\n', '\r\n', '\t', ':', ' ']) + text.slice(place);
  },
  (text, random) => text.slice(0, randomInteger(random, 1, text.length)),
  (text) => text.replace('HTTP/1.1', 'HTTP/1.0'),
  (text, random) =>
    text.replace('HTTP/1.1', anyOf(random, ['HTTP/2.0', 'HTTP/1.9', 'HTTP/0.9', 'http/1.1', 'HTTP', ''])),
  (text) => text.replaceAll('\r\n', '\n'),
  (text) => text.replace(/^\S+/, 'get'),
  (text) => text.replace(/^\S+/, 'x'.repeat(100)),
  (text) => text.replace(/^\S+ \S+/, 'CONNECT localhost:1'),
  (text) => text.replace(/^\S+ \S+/, 'OPTIONS *'),
  (text) => text.replace(/^\S+ \S+/, 'GET localhost/postings/saved'),
  (text) => text.replace('\r\n', '\r\n folded: line\r\n'),
  withLine('Content-Length: 5'),
  withLine('Content-Length: -1'),
  withLine('Content-Length: 99999999999999999999'),
  withLine('Transfer-Encoding: chunked'),
  withLine('Transfer-Encoding: gzip, chunked'),
  withLine('Transfer-Encoding: chunked, identity'),
  withLine('Upgrade: websocket'),
  withLine('HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'),
  withLine('no colon here'),
  withLine(': no name'),
  withLine(`a: ${'x'.repeat(140_000)}`),
  (text) => `${text}GET / HTTP/1.1\r\n\r\n`,
  (text) => text + text,
  (text) => text.repeat(5),
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  () => '\r\n\r\n\r\n',
  (_, random) => String.fromCharCode(...Array.from({ length: 300 }, () => randomInteger(random, 0, 255))),
];

/** The bytes of a request, changed in one to three ways, each character a byte. */
export const mutateRaw = (text: string, random: Random): string =>
  Array.from({ length: randomInteger(random, 1, 3) }).reduce<string>(
    (before) => (before === '' ? before : anyOf(random, mutations)(before, random)),
    text,
  );
