import { expect } from 'chai';
import { apiKeys, ids } from '../support/examples.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { operations, reads, writes } from './operations.ts';
import { putEverything, unchanged } from './stories.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('The headers of an answer', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putEverything(service);
  });
  after(() => service.stop());

  describe('have an X-Request-Id', () => {
    const withId = (id: string | undefined, path = '/postings/saved') =>
      service.send('GET', path, { as: 'professional', headers: id === undefined ? {} : { 'X-Request-Id': id } });
    const idOf = async (...given: Parameters<typeof withId>) => (await withId(...given)).headers.get('X-Request-Id');

    it('that is the one of the request', async () => {
      for (const id of [
        'Request_1.2-3',
        'x'.repeat(8),
        'x'.repeat(64),
        '00000000-0000-7000-8000-000000000000',
        '1234567a8b9c0d12',
        '4bf92f3577b34da6a3ce929d0e0e4736',
        'build-123456',
      ]) {
        expect(await idOf(id)).to.equal(id);
        expect(await idOf(id, '/nothing')).to.equal(id);
      }
    });
    it('that is new where the request has none, or no usable one', async () => {
      for (const id of [undefined, '', 'a b c d e', 'a\tb c d e', '<script>', 'é'.repeat(8), 'a~b~c~d~e'])
        expect(await idOf(id)).to.match(UUID_V7);
    });
    it('that is new where the one of the request is too short or too long', async () => {
      for (const id of ['x'.repeat(7), 'x'.repeat(65)]) expect(await idOf(id)).to.match(UUID_V7);
    });
    it('that is new where the one of the request looks like a number to call, or is an API key', async () => {
      const numbers = [
        '15125550123',
        '5125550123',
        '512-555-0123',
        '1.512.555.0123',
        'tel-5125550123',
        '512_555_0123_home',
        'tel15125550123',
        '15125550123x',
        '1--555--123--4506',
        '0000000015125550123',
        '15551234-5100-0000-0000-000000000000',
      ];
      for (const id of [...numbers, apiKeys.client, apiKeys.internal]) expect(await idOf(id)).to.match(UUID_V7);
    });
    it('that is new each time', async () => {
      expect(await idOf(undefined)).not.to.equal(await idOf(undefined));
    });
    it('that stands in the events of the request', async () => {
      const before = await service.head();
      const headers = { 'X-Request-Id': 'a-request' };
      await service.send('POST', '/professionals/postings/save', {
        as: 'professional',
        headers,
        body: { postingId: ids.posting },
      });
      const [event] = await service.app.eventStore.readAll(before, 10);
      expect(event?.metadata).to.include({ requestId: 'a-request', $correlationId: 'a-request', actor: ids.user });
    });
  });

  it('protect a browser from what it might make of the answer', async () => {
    for (const path of ['/postings/saved', '/nothing', '/health/live', '/openapi.json']) {
      const { headers } = await service.send('GET', path, { as: 'professional' });
      expect(headers.get('Content-Security-Policy')).to.equal("default-src 'none';frame-ancestors 'none'");
      expect(headers.get('Strict-Transport-Security')).to.match(/^max-age=\d+/);
      expect(headers.get('X-Frame-Options')).to.equal('SAMEORIGIN');
      expect(headers.get('Cross-Origin-Resource-Policy')).to.equal('same-origin');
      expect(headers.get('Cache-Control')).to.equal(path === '/openapi.json' ? 'no-cache' : 'no-store');
      expect(headers.get('X-Powered-By')).to.equal(null);
      expect(headers.get('Server')).to.equal(null);
    }
  });
  it('protect whoever follows a link of a page', async () => {
    const { headers } = await fetch(`${service.url}/docs`);
    expect(headers.get('Referrer-Policy')).to.equal('no-referrer');
    expect(headers.get('Cross-Origin-Opener-Policy')).to.equal('same-origin');
  });

  const accepts = [
    '*/*',
    'application/*',
    'APPLICATION/JSON',
    'text/html, */*;q=0.1',
    'text/html;q=0.9, application/json;q=0.1',
  ];
  for (const accept of [...accepts, 'application/json; charset=utf-8', 'application/json;charset="UTF-8"', ''])
    it(`say that it is JSON to Accept: ${accept}`, async () => {
      const answer = await service.send('GET', '/postings/saved', { as: 'professional', headers: { Accept: accept } });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
    });

  it('allow no other origin where none is configured', async () => {
    const headers = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await service.send(method, '/postings/saved', { as: 'professional', headers });
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
    }
  });

  for (const operation of reads)
    it(`of HEAD are those of GET, without the body, for ${operation.name}`, async () => {
      const get = await service.sendBytes('GET', operation.path, requestOfRead(operation));
      const head = await service.sendBytes('HEAD', operation.path, requestOfRead(operation));
      expect(get.status).to.equal(200);
      expect(head).to.include({ status: 200, body: undefined });
      for (const name of ['Content-Type', 'Content-Length'])
        expect(head.headers.get(name)).to.equal(get.headers.get(name)).and.not.equal(null);
    });

  it('of HEAD with a refusal have no body either', async () => {
    expect(await service.sendBytes('HEAD', '/postings/saved')).to.include({ status: 401, body: undefined });
    expect(await service.sendBytes('HEAD', '/nothing')).to.include({ status: 404, body: undefined });
  });

  for (const { name, path, allow } of operations)
    it(`of OPTIONS tell the methods, without credentials, for ${name}`, async () => {
      const answer = await service.send('OPTIONS', path, { key: null });
      expect(answer.status).to.be.oneOf([200, 204]);
      expect(answer.headers.get('Allow')?.split(', ')).to.have.members(allow.split(', '));
    });

  for (const { name, method, path } of writes)
    it(`of ${name} by a method override do nothing`, () =>
      unchanged(service, async () => {
        const answer = await service.send('GET', path, { as: 'admin', headers: { 'X-HTTP-Method-Override': method } });
        expect(answer.status).to.be.oneOf([200, 403, 404, 405]);
      }));

  it('and the body are those of an unknown path', async () => {
    for (const path of [
      '/',
      '/nothing',
      '/postings',
      '/v2/postings/saved',
      '/postings/saved/x',
      '/admin',
      '/docs/x',
      '/health',
      '/%2e%2e/etc/passwd',
    ]) {
      const answer = await service.send('GET', path, { as: 'professional' });
      expect(answer).to.deep.include({ status: 404, body: { error: 'There is nothing here' } });
    }
  });

  for (const method of ['TRACE', 'PROPFIND', 'DELETE', 'POST', 'OPTIONS'])
    it(`are those of a 404 for ${method} of an unknown path`, async () => {
      const answer = await service.sendBytes(method, '/nothing');
      expect(answer.status).to.equal(404);
      expect(answer.headers.get('Allow')).to.equal(null);
    });
});

const requestOfRead = ({ as }: (typeof reads)[number]) => (as ? { as } : {});

describe('Other origins', () => {
  const origin = 'https://app.example.com';

  it('that are configured are allowed, with what a page needs to read', async () => {
    const service = await startCheckedService({ corsOrigins: [origin, 'https://other.example.com'] });
    const answer = await service.send('GET', '/postings/saved', { as: 'professional', headers: { Origin: origin } });
    const refusal = await service.send('GET', '/postings/saved', { headers: { Origin: origin } });
    const stranger = await service.send('GET', '/postings/saved', {
      as: 'professional',
      headers: { Origin: 'https://evil.example.com' },
    });
    await service.stop();
    for (const { headers } of [answer, refusal]) {
      expect(headers.get('Access-Control-Allow-Origin')).to.equal(origin);
      expect(headers.get('Vary')).to.match(/\bOrigin\b/i);
      expect(headers.get('Access-Control-Expose-Headers')?.split(',')).to.include.members([
        ...['X-Request-Id', 'Consistency-Token', 'ETag', 'Retry-After', 'Allow'],
        ...['Error-Code', 'Error-Field', 'Idempotent-Replayed'],
        ...['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
      ]);
      expect(headers.get('Access-Control-Allow-Credentials')).to.equal(null);
    }
    expect(stranger.status).to.equal(200);
    expect(stranger.headers.get('Access-Control-Allow-Origin')).to.equal(null);
  });

  it('may ask beforehand, without credentials', async () => {
    const service = await startCheckedService({ corsOrigins: [origin] });
    const headers = {
      Origin: origin,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key,x-api-key',
    };
    const answer = await service.send('OPTIONS', '/users/phone', { key: null, headers });
    await service.stop();
    expect(answer.status).to.equal(204);
    expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal(origin);
    expect(answer.headers.get('Access-Control-Allow-Methods')?.split(',')).to.include.members([
      'GET',
      'POST',
      'PUT',
      'PATCH',
    ]);
    expect(answer.headers.get('Access-Control-Allow-Headers')).to.equal(headers['Access-Control-Request-Headers']);
  });

  it('are all allowed by *', async () => {
    const service = await startCheckedService({ corsOrigins: ['*'] });
    const answer = await service.send('GET', '/postings/saved', { as: 'professional', headers: { Origin: origin } });
    await service.stop();
    expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal('*');
  });
});
