import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { apply, putFacts, unchanged } from './stories.ts';

describe('Bad parameters', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
    await apply(service);
  });
  after(() => service.stop());

  describe('of a page', () => {
    const lists = [
      [`/postings/${ids.posting}/candidates?`, 'office'],
      [`/admin/postings/${ids.posting}/candidates?`, 'admin'],
      ['/postings/saved?', 'professional'],
      ['/professionals/candidates?category=active&', 'professional'],
    ] as const;
    const noNumbers = [
      '0',
      '-1',
      '-0',
      '1.5',
      '1.0',
      '1e3',
      '%201',
      '1%20',
      '+1',
      '%2B1',
      '0x1',
      '1_000',
      '1,000',
      'NaN',
      'Infinity',
      'null',
      'true',
      '',
      'x',
      '1;',
      '٣',
      '１',
      '-',
      '--1',
      '9'.repeat(400),
      '%00',
      '[]',
      '1%0A',
    ];
    for (const [path, as] of lists) {
      it(`are a 400 on ${path}`, async () => {
        for (const value of noNumbers)
          for (const name of ['page', 'pageSize'])
            expectError(
              await service.sendBytes('GET', `${path}${name}=${encodeURI(decodeURI(value))}`, { as }),
              400,
              new RegExp(`^query/${name} must be`),
            );
        expectError(await service.send('GET', `${path}pageSize=101`, { as }), 400, /^query\/pageSize must be <= 100$/);
        for (const page of ['2147483648', '100000000000000000000', '9'.repeat(300)])
          expectError(
            await service.send('GET', `${path}page=${page}`, { as }),
            400,
            /^query\/page must be <= 2147483647$/,
          );
        expectError(await service.send('GET', `${path}page`, { as }), 400, /^query\/page must be an integer$/);
      });
      it(`are not those far out on ${path}`, async () => {
        for (const page of ['2', '2147483647', '007']) {
          const { status, body } = await service.send('GET', `${path}page=${page}&pageSize=100`, { as });
          expect(status, page).to.equal(200);
          expect(at(body, 'data')).to.deep.equal([]);
        }
      });
    }
  });

  it('of a query string that is not percent-encoded UTF-8 are a 400', async () => {
    for (const query of ['page=%', 'page=%ZZ', 'page=%ff', 'p%ffge=1', 'page=%ed%a0%80', '%=1'])
      expectError(
        await service.sendBytes('GET', `/postings/saved?${query}`, { as: 'professional' }),
        400,
        /^query must be percent-encoded UTF-8$/,
      );
  });

  it('of unknown parameters are ignored', async () => {
    for (const query of [
      '__proto__=1',
      'constructor=1&constructor=2',
      'toString',
      'x=%ZZ',
      '&&&',
      '=',
      '?',
      'page[]=1',
      'page.x=1',
      'PAGE=0',
    ])
      expect(
        (await service.sendBytes('GET', `/postings/saved?${query}`, { as: 'professional' })).status,
        query,
      ).to.equal(200);
  });

  it('of an identifier are those over 128 characters, not those of 128, __proto__ or constructor', async () => {
    for (const id of ['x'.repeat(128), '__proto__', 'constructor', 'a.b', '...', '~', '-', '_'])
      expect((await service.send('PUT', `/internal/offices/${id}`, { body: bodies.office })).status, id).to.equal(204);
    for (const postingId of ['__proto__', 'constructor', 'x'.repeat(128)]) {
      expect(
        (
          await service.send('PUT', `/internal/postings/${postingId}`, {
            body: { ...bodies.posting, officeId: '__proto__' },
          })
        ).status,
      ).to.equal(204);
      expect(
        (
          await service.send('POST', `/postings/${postingId}/candidates`, {
            as: 'professional',
            body: bodies.application,
          })
        ).status,
      ).to.equal(201);
    }
    const { body } = await service.send('GET', '/professionals/candidates?category=active', { as: 'professional' });
    expect(at(body, 'pagination', 'total')).to.equal(4);
    expect(JSON.stringify(body)).to.include('"officeId":"__proto__","officeName":"Bright Smiles"');
    await unchanged(service, async () => {
      const postingId = 'x'.repeat(129);
      expectError(
        await service.send('POST', '/professionals/postings/save', { as: 'professional', body: { postingId } }),
        400,
        /^body\/postingId must be 1 to 128/,
      );
    });
  });
});
