import fc from 'fast-check';
import { expect } from 'chai';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { requestOf, reads, writes } from './operations.ts';
import { putEverything } from './stories.ts';

const RUNS = 40;

/** Texts that often break programs. */
const nasty = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  '..',
  '%00',
  "' OR 1=1 --",
  '😀'.repeat(201),
  'x'.repeat(129),
  'null',
  '-0',
  '1e999',
);
/**
 * Any character. fast-check's own unit, and its `webQueryParameters`, make a map of all of them, which takes seconds and
 * stays: meanwhile the service, in the same thread, would close a connection as idle whose next request has arrived.
 */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
/** What a query string may hold: its delimiters, and characters that are percent-encoded. */
const queryText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('&', '=', '+', '%', '?', '/', ':', '@', '!', '$'),
    character.map(encodeURIComponent),
  ),
});
const value: fc.Arbitrary<unknown> = fc.oneof(
  nasty,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, [], {}, [[]], [null], { __proto__: null }),
  fc.string({ unit: character, maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A change somewhere in a body: a member replaced, dropped or added, or the whole body replaced. */
type Mutation = (body: Readonly<Record<string, unknown>>) => unknown;
const within = (member: unknown, mutate: Mutation): unknown =>
  typeof member === 'object' && member !== null && !Array.isArray(member)
    ? mutate(Object.fromEntries(Object.entries(member)))
    : member;

const mutation: fc.Arbitrary<Mutation> = fc.letrec<{ any: Mutation; deep: Mutation; flat: Mutation }>(
  (tie) => ({
    flat: fc.oneof(
      fc.tuple(fc.nat(), value).map(
        ([index, other]): Mutation =>
          (body) =>
            replaced(body, index, () => other),
      ),
      fc.nat().map(
        (index): Mutation =>
          (body) =>
            Object.fromEntries(
              Object.entries(body).filter((_, place) => place !== index % Object.keys(body).length),
            ),
      ),
      fc
        .tuple(fc.oneof(nasty, fc.string()), value)
        .map(([name, other]): Mutation => (body) => ({ ...body, [name]: other })),
      fc.tuple(fc.nat(), value).map(
        ([index, other]): Mutation =>
          (body) =>
            replaced(body, index, (member) => [member, other, member]),
      ),
      value.map(
        (other): Mutation =>
          () =>
            other,
      ),
    ),
    deep: fc.tuple(fc.nat(), tie('any')).map(
      ([index, mutate]): Mutation =>
        (body) =>
          replaced(body, index, (member) => within(member, mutate)),
    ),
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('flat'), tie('deep')),
  }),
).any;

const replaced = (
  body: Readonly<Record<string, unknown>>,
  index: number,
  change: (member: unknown) => unknown,
) => {
  const entries = Object.entries(body);
  return Object.fromEntries(
    entries.map(([name, member], place) => [
      name,
      place === index % entries.length ? change(member) : member,
    ]),
  );
};

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
        fc.asyncProperty(mutation, async (mutate) => {
          const before = await service.head();
          const body = JSON.stringify(mutate(operation.body ?? {}));
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
            fc.constantFrom(
              'page',
              'pageSize',
              'status',
              'name',
              'orderBy',
              'sortBy',
              'sortOrder',
              'category',
              'x',
            ),
            fc.oneof(nasty, fc.string({ unit: character }), queryText),
          ),
        ),
        async ({ path, as }, pairs) => {
          const query = pairs
            .map(([name, text]) => `${name}=${encodeURIComponent(text.replace(/\p{Cs}/gu, ''))}`)
            .join('&');
          const { status } = await service.send(
            'GET',
            `${path}${path.includes('?') ? '&' : '?'}${query}`,
            as ? { as } : {},
          );
          // A body may have left something unknown.
          expect(status).to.be.oneOf([200, 400, 404]);
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
