import { expect } from 'chai';
import fc from 'fast-check';
import { apiKeys, claims, ids } from '../support/examples.ts';
import { tokenFor } from '../support/service.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { operations, reads, type Operation } from './operations.ts';
import * as story from './stories.ts';

const get = async (service: CheckedService, path: string, as: Operation['as'], etag?: string) =>
  service.sendBytes('GET', path, {
    ...(as ? { as } : {}),
    ...(etag === undefined ? {} : { headers: { 'If-None-Match': etag } }),
  });

describe('A read with If-Match', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService();
    await story.putEverything(service);
  });
  after(() => service.stop());

  for (const { name, path, as } of reads)
    it(`is a 412 where that names another answer: ${name}`, async () => {
      const read = (headers: Readonly<Record<string, string>> = {}) =>
        service.send('GET', path, { ...(as ? { as } : {}), headers });
      const { headers, body } = await read();
      const etag = headers.get('ETag') ?? '';
      for (const given of [etag, `"other", W/${etag}`, '*'])
        expect(await read({ 'If-Match': given }), given).to.deep.include({ status: 200, body });
      expect((await read({ 'If-Match': etag, 'If-None-Match': etag })).status).to.equal(304);
      for (const given of ['"other"', 'W/"other"', etag.toUpperCase()]) {
        const answer = await read({ 'If-Match': given, 'If-None-Match': etag });
        expectError(answer, 412, /^The header If-Match does not name the ETag of the answer$/);
      }
      expectError(await read({ 'If-Match': etag.slice(1, -1) }), 400, /If-Match must be/);
    });

  for (const { name, path, as } of operations.filter(
    ({ method, path }) => method === 'GET' && /^\/(?:history|admin\/(?:proj|audit))/.test(path),
  ))
    it(`is a 412 for any ETag where the answer has none: ${name}`, async () => {
      const answer = await service.send('GET', path, { ...(as ? { as } : {}), headers: { 'If-Match': '"any"' } });
      expectError(answer, 412, /If-Match/);
    });
});

describe('A read with If-None-Match', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService({ consistencyWaitMs: 2_000 });
    await story.putEverything(service);
    await story.save(service);
  });
  after(() => service.stop());

  for (const { name, path, as } of reads) {
    it(`is a 304 without a body where the client has the answer: ${name}`, async () => {
      const found = await service.send('GET', path, as ? { as } : {});
      const etag = found.headers.get('ETag') ?? '';
      expect(etag).to.match(/^"[\w-]{43}"$/);
      for (const given of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, '*']) {
        const answer = await get(service, path, as, given);
        expect([answer.status, answer.body], given).to.deep.equal([304, undefined]);
        for (const header of ['ETag', 'Cache-Control', 'Vary', 'Strict-Transport-Security', 'X-Content-Type-Options'])
          expect(answer.headers.get(header), header).to.equal(found.headers.get(header));
        // Headers that describe a body, which a 304 does not have.
        for (const header of ['Content-Type', 'Content-Security-Policy'])
          expect(answer.headers.get(header), header).to.equal(null);
      }
    });

    it(`is a 200 where the client has another answer: ${name}`, async () => {
      const found = await service.send('GET', path, as ? { as } : {});
      for (const given of ['"other"', 'W/"other"', '', (found.headers.get('ETag') ?? '').toUpperCase()]) {
        const answer = await get(service, path, as, given);
        expect([answer.status, answer.body], given).to.deep.equal([200, found.body]);
      }
    });

    it(`is answered alike for HEAD: ${name}`, async () => {
      const etag = (await get(service, path, as)).headers.get('ETag');
      const asked = { ...(as ? { as } : {}), headers: { 'If-None-Match': etag ?? '' } };
      const head = await service.sendBytes('HEAD', path, asked);
      expect([head.status, head.headers.get('ETag')]).to.deep.equal([304, etag]);
    });
  }

  it('is a 304 to a script in a browser, which sends Cache-Control: no-cache with it', async () => {
    const path = '/postings/saved';
    const etag = (await get(service, path, 'professional')).headers.get('ETag') ?? '';
    const headers = { 'If-None-Match': etag, 'Cache-Control': 'no-cache', Pragma: 'no-cache' };
    expect((await service.sendBytes('GET', path, { as: 'professional', headers })).status).to.equal(304);
  });

  it('has the ETag of the same answer after a restart', async () => {
    const path = '/postings/saved';
    const etag = (await get(service, path, 'professional')).headers.get('ETag') ?? '';
    await service.restart();
    expect((await get(service, path, 'professional', etag)).status).to.equal(304);
  });

  describe('is refused as it would be without', () => {
    const list = `/postings/${ids.posting}/candidates`;
    let etag: string;
    before(async () => {
      etag = (await get(service, list, 'office')).headers.get('ETag') ?? '';
    });
    const refused = async (
      status: number,
      message: RegExp,
      request: Parameters<CheckedService['sendBytes']>[2],
      path = list,
    ) => {
      for (const given of [etag, '*']) {
        const headers = { 'If-None-Match': given, ...request?.headers };
        const answer = await service.sendBytes('GET', path, { ...request, headers });
        expectError(answer, status, message);
        expect(answer.headers.get('ETag')).to.equal(null);
        expect(answer.headers.get('Cache-Control')).to.equal('no-store');
      }
    };

    it('without an API key, a token, or with a wrong one', async () => {
      await refused(401, /X-API-Key is missing/, { as: 'office', key: null });
      await refused(401, /no known key/, { as: 'office', key: 'another-key' });
      await refused(401, /bearer token/, {});
      await refused(401, /not valid/, { headers: { Authorization: 'Bearer x.y.z' } });
      const expired = { Authorization: `Bearer ${await tokenFor(claims.office, 1)}` };
      await refused(401, /not valid/, { headers: expired });
    });

    it('to who may not', async () => {
      await refused(403, /scope/, { as: 'office', key: apiKeys.internal });
      await refused(403, /not the office's/, { as: 'otherOffice' });
      await refused(403, /no office_id/, { as: 'nobody' });
    });

    // The last read waits for as long as a read may wait for a write.
    it('where what it asks is not valid, not there, or not shown yet', async () => {
      await refused(400, /page/, { as: 'office' }, `${list}?page=0`);
      await refused(404, /No specialty/, { as: 'admin' }, '/admin/credentials/specialties/nothing');
      await refused(406, /Accept/, { as: 'office', headers: { Accept: 'text/html' } });
      await refused(400, /Consistency-Token/, { as: 'office', headers: { 'Consistency-Token': 'x' } });
      const future = { 'Consistency-Token': '9'.repeat(16) };
      await refused(503, /not reached/, { as: 'office', headers: future });
    });

    it('by the rate limit', async () => {
      const limited = await startCheckedService({ rateLimit: { perSecond: 1, burst: 2 } });
      const statuses: number[] = [];
      for (let count = 0; count < 3; count++)
        statuses.push((await get(limited, '/postings/saved', 'professional', '*')).status);
      await limited.stop();
      expect(statuses).to.deep.equal([304, 304, 429]);
    });
  });

  it('is a 403 to an office that the posting was taken from, whose answer the client has', async () => {
    const path = `/postings/${ids.otherPosting}/candidates`;
    await story.putPosting(service, ids.otherPosting);
    const ask = async (etag: string) => service.send('GET', path, { as: 'office', headers: { 'If-None-Match': etag } });
    const { headers } = await ask('"none"');
    expect((await ask(headers.get('ETag') ?? '')).status).to.equal(304);
    await story.putPosting(service, ids.otherPosting, { officeId: ids.otherOffice });
    expectError(await ask(headers.get('ETag') ?? ''), 403, /not the office's/);
    expectError(await ask('*'), 403, /not the office's/);
  });

  /** Every read, for the roles that may make it, and with some query parameters. */
  const readings = reads.flatMap((operation): { path: string; as: Operation['as'] }[] => {
    const { path, as } = operation;
    if (!path.includes('candidates') || path.includes('category')) return [{ path, as }];
    return [
      { path, as },
      { path: `${path}?page=2&pageSize=1`, as },
      { path: `${path}?status=applied`, as },
      ...(as === 'office' ? ([{ path, as: 'admin' }] as const) : []),
    ];
  });

  const changes: readonly fc.Arbitrary<(on: CheckedService) => Promise<unknown>>[] = [
    fc.constant((on) => story.save(on)),
    fc.constant((on) => story.unsave(on)),
    fc.constant((on) => story.apply(on, claims.otherProfessional)),
    fc.boolean().map((isShortlisted) => async (on) => {
      await story.change(on, await story.apply(on), { isShortlisted });
    }),
    fc.constantFrom('Bright', 'Calm').map((officeName) => (on) => story.putOffice(on, ids.office, { officeName })),
    fc
      .constantFrom('Ann', 'Anna')
      .map((firstName) => (on) => story.putProfessional(on, ids.professional, { firstName })),
    fc.constantFrom('One', 'Two').map((title) => (on) => story.putPosting(on, ids.posting, { title })),
    fc.constantFrom('Ortho', 'Endo').map((name) => (on) => story.putSpecialty(on, ids.specialty, { name })),
    fc.boolean().map((monday) => async (on) => {
      const { path, as, body } = requestOfSettings;
      await on.send('PUT', path, { as, body: { ...body, monday } });
    }),
    fc.constant(() => Promise.resolve()),
  ];

  it('is a 304 exactly where the client has what a query finds now, whatever was written', async () => {
    const had = new Map<string, { readonly etag: string; readonly body: unknown }>();
    let question = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...changes), { maxLength: 3 }), async (acts) => {
        for (const act of acts) await act(service);
        for (const { path, as } of readings) {
          const known = had.get(`${as} ${path}`);
          const request = { ...(as ? { as } : {}), headers: { 'If-None-Match': known?.etag ?? '' } };
          const answer = await service.send('GET', path, request);
          // The service ignores this parameter, but has no cached answer for the new URL.
          const found = await service.send(
            'GET',
            `${path}${path.includes('?') ? '&' : '?'}n=${question++}`,
            as ? { as } : {},
          );
          const isSame = JSON.stringify(found.body) === JSON.stringify(known?.body);
          expect(answer.status, `${as} ${path}`).to.equal(isSame ? 304 : 200);
          if (answer.status === 200) expect(answer.body).to.deep.equal(found.body);
          expect(answer.headers.get('ETag')).to.equal(found.headers.get('ETag'));
          had.set(`${as} ${path}`, { etag: found.headers.get('ETag') ?? '', body: found.body });
        }
      }),
      { numRuns: 25 },
    );
  });
});

const requestOfSettings = {
  path: `/admin/user/${ids.user}/job-notification-settings`,
  as: 'admin',
  body: { monday: true, tuesday: true, wednesday: true, thursday: true, friday: true, saturday: false, sunday: false },
} as const;
