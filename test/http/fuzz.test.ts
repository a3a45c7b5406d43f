import fc from 'fast-check';
import { expect } from 'chai';
import { sfc32 } from '../../src/tools/seed/random.ts';
import { HOSTILE_TEXTS } from '../fuzz/hostile.ts';
import { mutateJson } from '../fuzz/mutate-json.ts';
import { jsonText } from '../fuzz/request.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { requestOf, reads, writes } from './operations.ts';
import { putEverything } from './stories.ts';

const RUNS = 40;
/** As the answer 414 is described. */
const MAX_URL_BYTES = 8_192;

/**
 * Any character. fast-check's own unit, and its `webQueryParameters`, make a map of all of them, which takes seconds
 * and stays: meanwhile the service, in the same thread, would close a connection as idle whose next request has
 * arrived.
 */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
/** What a query string may hold: its delimiters, and characters that are percent-encoded. */
const queryText = fc.string({
  unit: fc.oneof(fc.constantFrom('&', '=', '+', '%', '?', '/', ':', '@', '!', '$'), character.map(encodeURIComponent)),
});
/** By its seed, what is changed somewhere in a body, and how. */
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** For any input the answer is a documented one and no 5xx, and a refusal has changed nothing. */
describe('Whatever a body holds', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putEverything(service);
  });
  after(() => service.stop());

  for (const operation of writes) {
    const { name, method, path } = operation;
    it(`${name} answers as documented, and changes nothing when it refuses`, () =>
      fc.assert(
        fc.asyncProperty(seeds, async (seed) => {
          const before = await service.head();
          const body = jsonText(mutateJson(operation.body ?? {}, {}, sfc32(seed, 0, 1, 2)));
          const { status } = await service.send(method, path, { ...requestOf(operation), body });
          expect(status).to.be.below(500);
          if (status >= 400) expect(await service.head()).to.equal(before);
        }),
        { numRuns: RUNS },
      ));
  }

  it('and is no JSON at all: it is a 400', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 60 }),
        fc.constantFrom(...writes),
        async (bytes, operation) => {
          fc.pre(!isJson(Buffer.from(bytes)));
          const before = await service.head();
          const { as } = operation;
          const { status } = await service.sendBytes(operation.method, operation.path, {
            ...(as ? { as } : {}),
            body: Buffer.from(bytes),
          });
          expect(status).to.equal(400);
          expect(await service.head()).to.equal(before);
        },
      ),
      { numRuns: RUNS },
    ));

  it('and whatever a query string holds: a read answers as documented', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...reads),
        fc.array(
          fc.tuple(
            fc.constantFrom('page', 'pageSize', 'status', 'name', 'orderBy', 'sortBy', 'sortOrder', 'category', 'x'),
            fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: character }), queryText),
          ),
        ),
        async ({ path, as }, pairs) => {
          const query = pairs
            .map(([name, text]) => `${name}=${encodeURIComponent(text.replace(/\p{Cs}/gu, ''))}`)
            .join('&');
          const target = `${path}${path.includes('?') ? '&' : '?'}${query}`;
          const { status } = await service.send('GET', target, as ? { as } : {});
          // A body may have left something unknown; and some texts are longer than a URL, or a whole head, may be.
          expect(status).to.be.oneOf(target.length > MAX_URL_BYTES ? [414, 431] : [200, 400, 404]);
        },
      ),
      { numRuns: RUNS * 3 },
    ));
});

const isJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString('latin1'));
    return true;
  } catch {
    return false;
  }
};
