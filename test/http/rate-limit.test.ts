import { expect } from 'chai';
import { ids } from '../support/examples.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { unchanged } from './stories.ts';

describe('The rate limit', () => {
  let service: CheckedService;
  const read = (as: 'professional' | 'otherProfessional' | 'nobody') => service.send('GET', '/postings/saved', { as });

  beforeEach(async () => {
    // A window of 1,000 seconds, so that none ends within a test.
    service = await startCheckedService({ rateLimit: { perSecond: 0.005, burst: 5 } });
  });
  afterEach(() => service.stop());

  it('tells what is left, and is a 429 with Retry-After when nothing is', async () => {
    for (const remaining of ['4', '3', '2', '1', '0']) {
      const { status, headers } = await read('professional');
      expect(status).to.equal(200);
      expect(headers.get('RateLimit-Limit')).to.equal('5');
      expect(headers.get('RateLimit-Remaining')).to.equal(remaining);
      const reset = Number(headers.get('RateLimit-Reset'));
      expect(reset).to.be.within(900, 1_000);
      expect(headers.get('RateLimit')).to.equal(`"caller";r=${remaining};t=${reset}`);
      expect(headers.get('RateLimit-Policy')).to.equal('"caller";q=5;w=1000');
    }
    const refused = await read('professional');
    expectError(refused, 429, /^Too many requests$/);
    expect(refused.headers.get('RateLimit-Remaining')).to.equal('0');
    expect(refused.headers.get('Retry-After')).to.equal(refused.headers.get('RateLimit-Reset'));
  });

  it('counts each user of an API key apart, refusals and writes too', async () => {
    await unchanged(service, async () => {
      for (let count = 1; count <= 5; count++)
        await service.send('POST', '/professionals/postings/save', {
          as: 'professional',
          body: { postingId: 'unknown' },
        });
      const body = { postingId: ids.posting };
      expectError(
        await service.send('POST', '/professionals/postings/unsave', { as: 'professional', body }),
        429,
        /Too many/,
      );
    });
    expect((await read('otherProfessional')).status).to.equal(200);
    expect((await read('nobody')).status).to.equal(403);
  });

  it('counts an API key of scope internal by itself', async () => {
    const path = '/internal/professionals/unknown';
    for (let count = 1; count <= 5; count++) expect((await service.send('GET', path)).status).to.equal(404);
    expectError(await service.send('GET', path), 429, /Too many/);
    expect((await read('professional')).status).to.equal(200);
  });

  it('does not hold for what is served beside the interface', async () => {
    for (let count = 1; count <= 10; count++)
      expect((await service.send('GET', '/health/live', { key: null })).status).to.equal(200);
  });

  it('comes after the credentials', async () => {
    for (let count = 1; count <= 10; count++)
      expectError(await service.send('GET', '/postings/saved', { key: null }), 401, /X-API-Key/);
  });

  it('comes before the check of access, which is counted', async () => {
    const [forAdmins, events] = ['/admin/projections', '/admin/projections/events'];
    for (const path of ['/postings/saved', forAdmins, events, forAdmins, events])
      expect((await service.send('GET', path, { as: 'nobody' })).status, path).to.equal(403);
    for (const path of ['/postings/saved', forAdmins, events])
      expectError(await service.send('GET', path, { as: 'nobody' }), 429, /Too many/);
  });
});

describe('Without a rate limit', () => {
  it('no header tells of one', async () => {
    const service = await startCheckedService();
    const { headers } = await service.send('GET', '/postings/saved', { as: 'professional' });
    await service.stop();
    expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).to.deep.equal([]);
  });
});
