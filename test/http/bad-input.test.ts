import { expect } from 'chai';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { bodies, ids } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { startCheckedService, type BytesRequest, type CheckedService } from './checked-service.ts';
import { putFacts, putOffice, unchanged } from './stories.ts';

const office = `/internal/offices/${ids.office}`;
const save = '/professionals/postings/save';
const nested = (depth: number, open: string, inside: string, close: string) =>
  open.repeat(depth) + inside + close.repeat(depth);

/** Bad input never gives a 5xx and never changes anything. */
describe('Bad bodies', () => {
  let service: CheckedService;
  const put = (body: string | Buffer, headers: NonNullable<BytesRequest['headers']> = {}) =>
    service.sendBytes('PUT', office, { body, headers });
  const refused = (
    body: string | Buffer,
    status: number,
    message: RegExp,
    headers: NonNullable<BytesRequest['headers']> = {},
  ) => unchanged(service, async () => expectError(await put(body, headers), status, message));
  const shown = async () => {
    const { body } = await service.send('GET', '/postings/saved', { as: 'professional' });
    return at(body, 'data', 0, 'offerOwner', 'officeName');
  };

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
    await service.send('POST', save, { as: 'professional', body: { postingId: ids.posting } });
  });
  beforeEach(() => putOffice(service));
  after(() => service.stop());

  describe('by their size', () => {
    const sized = (bytes: number) => JSON.stringify({ officeName: 'Big' }).padEnd(bytes);

    it('are taken up to 100 KiB', async () => {
      expect((await put(sized(102_400))).status).to.equal(204);
    });
    for (const bytes of [102_401, 1_000_000])
      it(`are a 413 with ${bytes} bytes`, () => refused(sized(bytes), 413, /^body must be at most 100 KiB$/));
    it('are a 413 when their length is not told beforehand', () =>
      refused(sized(200_000), 413, /100 KiB/, { 'Transfer-Encoding': 'chunked' }));
    for (const encoding of ['GZIP', 'Gzip', 'x-gzip', 'X-GZip'])
      it(`are taken packed by ${encoding}: the case says nothing (RFC 9110, 8.4.1)`, async () => {
        const answer = await put(gzipSync(JSON.stringify(bodies.office)), { 'Content-Encoding': encoding });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(204);
      });
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const) {
      it(`are taken packed by ${encoding}, text of every script included`, async () => {
        const body = compress(JSON.stringify({ ...bodies.office, officeName: 'Zähne 歯 😀' }));
        expect((await put(body, { 'Content-Encoding': encoding })).status).to.equal(204);
        expect(await shown()).to.equal('Zähne 歯 😀');
      });
      it(`are a 413 when ${encoding} unpacks to too much`, async () => {
        const bomb = compress(Buffer.alloc(20_000_000, ' '));
        expect(bomb.length).to.be.below(102_400);
        await refused(bomb, 413, /100 KiB/, { 'Content-Encoding': encoding });
      });
      it(`are a 400 when they are no ${encoding}`, () =>
        refused(JSON.stringify(bodies.office), 400, /could not be read/, { 'Content-Encoding': encoding }));
      it(`are a 400 when ${encoding} ends too early`, () =>
        refused(compress(JSON.stringify(bodies.office)).subarray(0, -12), 400, /could not be read/, {
          'Content-Encoding': encoding,
        }));
    }
    for (const encoding of ['compress', 'zstd', 'x', 'gzip, gzip', 'identity, gzip'])
      it(`are a 415 packed by ${encoding}, with the codings that are taken`, async () => {
        const body = gzipSync(JSON.stringify(bodies.office));
        const answer = await put(body, { 'Content-Encoding': encoding });
        expectError(answer, 415, /Content-Encoding/);
        expect(answer.headers.get('Accept-Encoding')).to.equal('gzip, deflate, br, identity');
      });
    it('are taken with a byte order mark before them', async () => {
      const body = `\ufeff${JSON.stringify({ ...bodies.office, officeName: 'Marked' })}`;
      expect((await put(body)).status).to.equal(204);
      expect(await shown()).to.equal('Marked');
    });
  });

  describe('by their encoding', () => {
    const text = JSON.stringify({ officeName: 'Zähne' });
    const cases: readonly [string, Buffer, RegExp][] = [
      ['Latin-1', Buffer.from(text, 'latin1'), /must be UTF-8/],
      ['UTF-16', Buffer.from(text, 'utf16le'), /must be (?:UTF-8|valid JSON)/],
      ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le'), /must be UTF-8/],
      [
        'an overlong sequence',
        Buffer.concat([Buffer.from('{"officeName":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
        /must be UTF-8/,
      ],
      [
        'a surrogate as UTF-8',
        Buffer.concat([Buffer.from('{"officeName":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
        /must be UTF-8/,
      ],
      [
        'half a character',
        Buffer.concat([Buffer.from('{"officeName":"'), Buffer.from([0xf0, 0x9f, 0x98]), Buffer.from('"}')]),
        /must be UTF-8/,
      ],
      ['only a NUL', Buffer.from([0]), /must be valid JSON/],
      ['random bytes', Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x80, 0x7f]), /must be UTF-8/],
    ];
    for (const [name, body, message] of cases) it(`are a 400 in ${name}`, () => refused(body, 400, message));

    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'APPLICATION/JSON; charset=UTF8',
    ])
      it(`are taken as ${type}`, async () => {
        expect((await put(text, { 'Content-Type': type })).status).to.equal(204);
        expect(await shown()).to.equal('Zähne');
      });
  });

  describe('by their nesting', () => {
    for (const depth of [100, 5_000, 50_000]) {
      it(`are a 400 with ${depth} arrays in arrays`, () =>
        refused(`{"officeName":${nested(depth, '[', '', ']')}}`, 400, /^body/));
      it(`are a 400 as ${depth} arrays in arrays`, () => refused(nested(depth, '[', '', ']'), 400, /^body/));
    }
    for (const depth of [100, 5_000, 17_000])
      it(`are a 400 with ${depth} objects in objects`, () => refused(nested(depth, '{"a":', '1', '}'), 400, /^body/));
    it('are a 400 with thousands of members', () =>
      refused(
        `{"officeName":"X",${Array.from({ length: 8_000 }, (_, n) => `"m${n}":1`).join()}}`,
        400,
        /must not have the member 'm0'/,
      ));
    it('are a 400 with a very long member, whose name is cut in the message', async () => {
      const answer = await put(JSON.stringify({ officeName: 'X', ['m'.repeat(50_000)]: 1 }));
      expectError(answer, 400, /^body must not have the member 'm{60}…'$/);
    });
  });

  describe('by their text', () => {
    const nameOf = (officeName: string) => JSON.stringify({ officeName });
    for (const [name, character] of [
      ['NUL', '\u0000'],
      ['a bell', '\u0007'],
      ['escape', '\u001b'],
      ['DEL', '\u007f'],
      ['C1', '\u0085'],
      ['a lone high surrogate', '\ud83d'],
      ['a lone low surrogate', '\ude00'],
      ['a vertical tab', '\v'],
    ] as const)
      it(`are a 400 with ${name}`, () =>
        refused(nameOf(`a${character}b`), 400, /^body\/officeName must not contain control characters/));
    it('may hold tab, LF and CR', async () => {
      expect((await put(nameOf('a\tb\r\nc'))).status).to.equal(204);
      expect(await shown()).to.equal('a\tb\r\nc');
    });

    const limits: readonly [string, number, (value: string) => object][] = [
      ['officeName', 200, (officeName) => ({ officeName })],
      [
        'address/0/formattedAddress',
        2_000,
        (formattedAddress) => ({ officeName: 'X', address: [{ formattedAddress }] }),
      ],
      ['address/0/city', 200, (city) => ({ officeName: 'X', address: [{ city }] })],
      ['officeInfo/insurances/0', 200, (insurance) => ({ officeName: 'X', officeInfo: { insurances: [insurance] } })],
    ];
    for (const [place, most, bodyOf] of limits)
      it(`are bounded at ${place} to ${most} code points`, async () => {
        for (const character of ['x', 'é', '歯', '😀']) {
          expect((await put(JSON.stringify(bodyOf(character.repeat(most))))).status).to.equal(204);
          await refused(
            JSON.stringify(bodyOf(character.repeat(most + 1))),
            400,
            new RegExp(`^body/${place} must have at most ${most} characters`),
          );
        }
      });

    const postingTexts: readonly [string, number][] = [
      ['description', 20_000],
      ['benefitsOther', 2_000],
      ['title', 200],
      ['state', 200],
    ];
    for (const [member, most] of postingTexts)
      it(`are bounded at the posting's ${member} to ${most} code points`, async () => {
        const send = (text: string) =>
          service.sendBytes('PUT', `/internal/postings/${ids.posting}`, {
            body: JSON.stringify({ ...bodies.posting, [member]: text }),
          });
        expect((await send('😀'.repeat(most))).status).to.equal(204);
        await unchanged(service, async () =>
          expectError(await send('😀'.repeat(most + 1)), 400, new RegExp(`^body/${member} must have at most ${most}`)),
        );
      });

    it("are bounded at the professional's texts", async () => {
      for (const [member, most] of [
        ['email', 254],
        ['picture', 2_000],
        ['firstName', 200],
        ['profession', 200],
      ] as const) {
        const send = (text: string) =>
          service.sendBytes('PUT', `/internal/professionals/${ids.professional}`, {
            body: JSON.stringify({ ...bodies.professional, [member]: text }),
          });
        expect((await send('x'.repeat(most))).status).to.equal(204);
        await unchanged(service, async () =>
          expectError(await send('x'.repeat(most + 1)), 400, new RegExp(`^body/${member} must have at most ${most}`)),
        );
      }
    });
  });
});
