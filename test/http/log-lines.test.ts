import { expect } from 'chai';
import { SignJWT } from 'jose';
import { createLogger } from '../../src/monitoring/logger.ts';
import { apiKeys, bodies, ids } from '../support/examples.ts';
import { untilReady } from '../support/service.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';

type Row = Readonly<Record<string, unknown>>;

describe('The log line of a request', () => {
  let service: CheckedService;
  const lines: string[] = [];
  before(async () => {
    const destination = { write: (line: string) => void lines.push(line) };
    service = await startCheckedService({ logger: createLogger({ level: 'info', destination }) });
  });
  after(() => service.stop());

  const pathOf = async (method: string, path: string): Promise<unknown> => {
    const headers = { 'X-Request-Id': `request-for-its-line-${lines.length}` };
    await service.sendBytes(method, path, { headers });
    const line = lines.find((one) => one.includes(headers['X-Request-Id'])) ?? '{}';
    return (JSON.parse(line) as Record<string, unknown>)['path'];
  };

  /** What the line of one request tells of its caller. */
  const whoOf = async (method: string, path: string, request: Parameters<CheckedService['sendBytes']>[2] = {}) => {
    const id = `request-for-its-line-${lines.length}`;
    await service.sendBytes(method, path, { ...request, headers: { ...request.headers, 'X-Request-Id': id } });
    const line = JSON.parse(lines.find((one) => one.includes(id)) ?? '{}') as Record<string, unknown>;
    const { operation, key, actor, address, reason } = line;
    return { operation, key, actor, address, reason };
  };
  const unknown = { key: undefined, actor: undefined, reason: undefined };

  it("tells the actor, the operation and the client's address", async () => {
    const address = '127.0.0.1';
    expect(await whoOf('GET', '/postings/saved', { as: 'professional' })).to.deep.equal({
      ...unknown,
      operation: 'getSavedPostings',
      key: 'website',
      actor: ids.user,
      address,
    });
    expect(await whoOf('GET', `/internal/professionals/${ids.professional}`)).to.deep.equal({
      ...unknown,
      operation: 'getProfessional',
      key: 'back-office',
      actor: 'key:back-office',
      address,
    });
    expect(await whoOf('GET', '/health/live', { key: null })).to.deep.equal({ ...unknown, operation: 'none', address });
  });

  it('tells why a request was answered with a 401 or a 403', async () => {
    expect(await whoOf('GET', '/postings/saved', { key: null })).to.include({
      actor: undefined,
      reason: 'The header X-API-Key is missing',
    });
    expect(await whoOf('GET', '/postings/saved', { headers: { Authorization: 'Bearer x.y' } })).to.include({
      actor: undefined,
      reason: 'The bearer token is not valid, or no longer: Invalid Compact JWS',
    });
    const foreign = await new SignJWT({ sub: ids.user })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from('a secret that another issuer has, thirty-two bytes'));
    expect(await whoOf('GET', '/postings/saved', { headers: { Authorization: `Bearer ${foreign}` } })).to.include({
      reason: 'The bearer token is not valid, or no longer: signature verification failed',
    });
    expect(await whoOf('GET', '/admin/projections', { as: 'professional' })).to.include({
      actor: ids.user,
      reason: 'The token names no role admin',
    });
    expect(await whoOf('GET', '/admin/audit?page=0', { as: 'admin' })).to.include({
      actor: ids.admin,
      reason: undefined,
    });
  });

  it('tells what the issuer and the audience of a refused token are, and what they should be', async () => {
    const secret = 'another secret of thirty-two bytes or so';
    const reasons: unknown[] = [];
    const destination = { write: (line: string) => reasons.push((JSON.parse(line) as Row)['reason']) };
    const settings = { kind: 'secret', secret, issuer: 'https://in.example/', audience: 'hiring' } as const;
    const other = await startCheckedService({ tokens: settings, logger: createLogger({ level: 'info', destination }) });
    await untilReady(other.url);
    for (const claims of [
      { iss: 'https://in.example', aud: 'hiring' },
      { iss: settings.issuer, aud: ['a', 'b'] },
      {},
    ]) {
      const token = new SignJWT({ sub: ids.user, ...claims }).setProtectedHeader({ alg: 'HS256' });
      const headers = { Authorization: `Bearer ${await token.sign(Buffer.from(secret))}` };
      await other.send('GET', '/postings/saved', { headers });
    }
    await other.stop();
    const invalid = 'The bearer token is not valid, or no longer';
    expect(reasons.filter((reason) => String(reason).startsWith(invalid))).to.deep.equal([
      `${invalid}: its claim iss is "https://in.example", and JWT_ISSUER is https://in.example/`,
      `${invalid}: its claim aud is ["a","b"], and JWT_AUDIENCE is hiring`,
      `${invalid}: its claim iss is null, and JWT_ISSUER is https://in.example/`,
    ]);
  });

  it("tells the path of an operation as the route's template", async () => {
    expect(await pathOf('GET', `/internal/professionals/${ids.professional}`)).to.equal('/internal/professionals/:id');
    expect(await pathOf('PATCH', '/postings/a/candidates/b')).to.equal('/postings/:postingId/candidates/:candidateId');
    expect(await pathOf('GET', '/postings/saved?page=2')).to.equal('/postings/saved');
  });

  it('tells a path beside the operations as it is', async () => {
    expect(await pathOf('GET', '/health/live')).to.equal('/health/live');
  });

  it('tells an unknown path by its first 100 characters, without what no route has', async () => {
    expect(await pathOf('GET', '/internal/nothing/5125550123')).to.equal('/internal/*/*');
    expect(await pathOf('GET', `/postings/saved/${'/saved'.repeat(100)}`)).to.have.length.within(90, 100);
    expect(await pathOf('GET', 'http://ann.lee/nothing')).to.equal('/*');
    expect(await pathOf('DELETE', `/internal/professionals/${ids.professional}`)).to.equal('/internal/professionals/*');
  });

  it('holds nothing that was put into a path or a request id, and no event does', async () => {
    const planted = ['5125550123', '512-555-0123', 'Ann-Lee', 'ann.lee', 'Ann%20Lee', apiKeys.client, apiKeys.internal];
    const before = await service.head();
    for (const text of planted) {
      for (const path of [
        `/internal/professionals/${text}`,
        `/postings/${text}/candidates/${text}`,
        `/nothing/${text}`,
        `/${text}`,
        `//${text}/`,
        `/docs/${text}?${text}`,
        `http://test/${text}`,
      ])
        for (const method of ['GET', 'PATCH', 'DELETE', 'OPTIONS']) await service.sendBytes(method, path);
      await service.send('PUT', '/internal/offices/an-office', {
        body: { ...bodies.office, officeName: text.toUpperCase() },
        headers: { 'X-Request-Id': text },
      });
    }
    const events = await service.app.eventStore.readAll(before, 1_000);
    expect(events).to.have.lengthOf(planted.length);
    for (const { metadata } of events)
      for (const text of planted) expect(JSON.stringify(metadata)).not.to.include(text);
    for (const line of lines) for (const text of planted) expect(line).not.to.include(text);
  });
});
