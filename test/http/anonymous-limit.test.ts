import { expect } from 'chai';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type BytesRequest, type CheckedService } from './checked-service.ts';
import { blocksOf } from './forwarded.ts';

/** Windows of 1,000 seconds, so that none ends within a test. */
const limited = (burst: number) => ({ anonymousRateLimit: { perSecond: burst / 1_000, burst } });

const wrong: BytesRequest = { key: 'a-wrong-key' };
const from = (address: string, request: BytesRequest = wrong): BytesRequest => ({
  ...request,
  headers: { 'X-Forwarded-For': address, ...request.headers },
});

describe('The limit for requests without valid credentials', () => {
  let service: CheckedService;
  const start = async (burst: number, ...proxies: readonly string[]) => {
    service = await startCheckedService({ ...limited(burst), trustedProxies: blocksOf(proxies) });
  };
  const send = (path: string, request: BytesRequest = wrong, method = 'GET') =>
    service.sendBytes(method, path, request);
  const statuses = async (count: number, path: string, request?: BytesRequest): Promise<number[]> => {
    const found: number[] = [];
    for (let one = 1; one <= count; one++) found.push((await send(path, request)).status);
    return found;
  };
  afterEach(() => service.stop());

  it('answers the 200th wrong key in a second with a 429, and valid callers at the same address as ever', async () => {
    await start(100);
    const found = new Map<number, number>();
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const { status } = await send('/postings/saved');
        found.set(status, (found.get(status) ?? 0) + 1);
        const valid = await send('/postings/saved', { as: 'professional' });
        expect(valid.status).to.equal(200);
      }),
    );
    expect(Object.fromEntries(found)).to.deep.equal({ 401: 100, 429: 100 });
    expectError(await send('/postings/saved'), 429, /Too many requests/);
  });

  it('counts every answer that needs no credentials, and tells what is left', async () => {
    await start(5);
    const paths = ['/postings/saved', '/nothing', '/docs', '/openapi.json', '/%41'];
    for (const [index, path] of paths.entries()) {
      const { headers } = await service.sendBytes('HEAD', path, { key: null });
      expect(headers.get('RateLimit-Remaining'), path).to.equal(String(4 - index));
    }
    for (const path of paths) {
      const answer = await send(path, { key: null });
      expectError(answer, 429, /Too many requests/);
      expect(answer.headers.get('Cache-Control')).to.equal('no-store');
      for (const name of ['ETag', 'Content-Encoding', 'WWW-Authenticate', 'Allow'])
        expect(answer.headers.get(name), name).to.equal(null);
    }
  });

  it('counts a token that is not valid, though the API key is', async () => {
    await start(5);
    const headers = { Authorization: 'Bearer not.a.token' };
    expect(await statuses(6, '/postings/saved', { headers })).to.deep.equal([401, 401, 401, 401, 401, 429]);
  });

  it('counts what is hardly a request', async () => {
    await start(5);
    const headers = { 'X-Long': 'a'.repeat(17_000) };
    expect(await statuses(6, '/postings/saved', { key: null, headers })).to.deep.equal([431, 431, 431, 431, 431, 429]);
  });

  it('counts no request with valid credentials, whatever its answer', async () => {
    await start(1);
    expect(await statuses(3, '/postings/saved', { as: 'professional' })).to.deep.equal([200, 200, 200]);
    expect(await statuses(3, '/postings/saved', { as: 'nobody' })).to.deep.equal([403, 403, 403]);
    expect(await statuses(3, '/nothing', {})).to.deep.equal([404, 404, 404]);
    expect(await statuses(2, '/nothing', wrong)).to.deep.equal([404, 429]);
    expect(await statuses(3, '/postings/saved', { as: 'professional' })).to.deep.equal([200, 200, 200]);
  });

  it('does not hold for the health of the service and its metrics', async () => {
    await start(1);
    expect((await send('/health/nothing', { key: null })).status).to.equal(404);
    await statuses(2, '/nothing');
    for (const path of ['/health/live', '/health/ready'])
      expect((await send(path, { key: null })).status).to.equal(200);
    expect((await fetch(`${service.url}/metrics`)).status).to.equal(200);
  });

  it('does not hold for what a browser asks beforehand for a page that is allowed', async () => {
    service = await startCheckedService({ ...limited(1), corsOrigins: ['https://app.example.com'] });
    const headers = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };
    for (let count = 1; count <= 3; count++)
      expect((await send('/postings/saved', { key: null, headers }, 'OPTIONS')).status).to.equal(204);
    const refused = await statuses(2, '/postings/saved', { ...wrong, headers });
    expect(refused).to.deep.equal([401, 429]);
  });

  it('counts by the address of the socket, whatever a client says of itself', async () => {
    await start(2);
    expect((await send('/nothing', from('203.0.113.1'))).status).to.equal(404);
    expect((await send('/nothing', from('203.0.113.2'))).status).to.equal(404);
    expect((await send('/nothing', from('203.0.113.3'))).status).to.equal(429);
  });

  it('counts by the address that a trusted proxy tells, IPv6 by its network', async () => {
    await start(1, '127.0.0.0/8');
    expect((await send('/nothing', from('203.0.113.1'))).status).to.equal(404);
    expect((await send('/nothing', from('203.0.113.2, 127.0.0.7'))).status).to.equal(404);
    expect((await send('/nothing', from('198.51.100.9, 203.0.113.1'))).status).to.equal(429);
    expect((await send('/nothing', from('2001:db8::1'))).status).to.equal(404);
    expect((await send('/nothing', from('2001:db8::2:3'))).status).to.equal(429);
    expect((await send('/nothing', from('2001:db8:0:1::1'))).status).to.equal(404);
  });

  it('is off where limits are', async () => {
    service = await startCheckedService();
    expect(new Set(await statuses(300, '/nothing'))).to.deep.equal(new Set([404]));
  });
});
