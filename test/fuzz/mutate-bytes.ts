import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { randomInteger, type Random } from '../../src/tools/seed/random.ts';
import { anyOf } from './draw.ts';
import { jsonText, withHeader, type FuzzRequest } from './request.ts';

const MEGABYTE = 1_024 * 1_024;
const zeros = gzipSync(Buffer.alloc(10 * MEGABYTE));

/** Whole bodies, whatever the operation takes. */
const BODIES: readonly Buffer[] = [
  ...['', ' ', 'null', '[]', '"x"', '0', 'true', '{', '{"a":}', '{a:1}', "{'a':1}", '{"a":1}}', '{}{}'],
  ...['\ufeff{}', 'a=1&b=2', '<a/>', '{"a":1,}', '{"a":1 /**/}', '{}\u0000', '-', '\n\n', '"\\', '[,]'],
  '['.repeat(50_000),
  '{"a":'.repeat(15_000),
  `${'['.repeat(40_000)}${']'.repeat(40_000)}`,
  `{"a":"${'x'.repeat(100 * 1_024)}"}`,
  `{"a":${'9'.repeat(90_000)}}`,
].map((text) => Buffer.from(text));

type Mutation = (request: FuzzRequest, text: Buffer, random: Random) => FuzzRequest;
const replaced = (request: FuzzRequest, bytes: Buffer): FuzzRequest => ({ ...request, bytes });

/** With some bytes put in at any place. */
const inserted = (text: Buffer, bytes: readonly number[], random: Random): Buffer => {
  const place = randomInteger(random, 0, text.length);
  return Buffer.concat([text.subarray(0, place), Buffer.from(bytes), text.subarray(place)]);
};

const encoded =
  (coding: string, encode: (text: Buffer, random: Random) => Buffer): Mutation =>
  (request, text, random) =>
    withHeader(replaced(request, encode(text, random)), 'Content-Encoding', coding);

const mutations: readonly Mutation[] = [
  (request, _, random) => replaced(request, anyOf(random, BODIES)),
  (request, _, random) => replaced(request, anyOf(random, BODIES)),
  (request, _, random) =>
    replaced(
      request,
      Buffer.from(Array.from({ length: randomInteger(random, 1, 200) }, () => randomInteger(random, 0, 255))),
    ),
  (request, text, random) => replaced(request, text.subarray(0, randomInteger(random, 0, text.length))),
  (request, text, random) => replaced(request, inserted(text, [0xff], random)),
  (request, text, random) => replaced(request, inserted(text, [0xc0, 0x80], random)),
  (request, text, random) => replaced(request, inserted(text, [0xed, 0xa0, 0x80], random)),
  (request, text, random) => replaced(request, inserted(text, [0], random)),
  (request, text) => replaced(request, Buffer.from(text.toString('utf8'), 'utf16le')),
  (request) => replaced(request, Buffer.alloc(MEGABYTE, 'x')),
  (request, text) => withHeader(replaced(request, text), 'Transfer-Encoding', 'chunked'),
  encoded('gzip', (text) => gzipSync(text)),
  encoded('GZIP', (text) => gzipSync(text)),
  encoded('gzip', (text) => text),
  encoded('gzip', () => zeros),
  encoded('gzip', (text, random) => gzipSync(text).subarray(0, randomInteger(random, 1, 15))),
  encoded('deflate', (text) => deflateSync(text)),
  encoded('br', (text) => brotliCompressSync(text)),
  encoded('zstd', (text) => text),
  encoded('gzip, gzip', (text) => gzipSync(gzipSync(text))),
];

/** With other bytes as its body than the text of a JSON value, or with the same in another coding. */
export const mutateBytes = (request: FuzzRequest, random: Random): FuzzRequest =>
  anyOf(random, mutations)(
    request,
    request.bytes ?? Buffer.from(request.json === undefined ? '' : jsonText(request.json)),
    random,
  );
