import { expect } from 'chai';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUsual } from '../../bench/usual/app.ts';
import { openDatabase, type Database } from '../../bench/usual/database.ts';
import { claims, ids } from '../support/examples.ts';
import { apply, change, putFacts, putPosting, putProfessional, save } from '../http/stories.ts';
import { jwtSecret, startService, tokenFor } from '../support/service.ts';

const SAVE = '/professionals/postings/save';

const lists = [
  { as: 'office', path: `/postings/${ids.posting}/candidates?pageSize=15` },
  { as: 'admin', path: `/postings/${ids.posting}/candidates?pageSize=1&page=2` },
  { as: 'admin', path: `/admin/postings/${ids.posting}/candidates?pageSize=15` },
  { as: 'admin', path: '/admin/postings/posting-unknown/candidates' },
  { as: 'professional', path: '/postings/saved?pageSize=15' },
  { as: 'otherProfessional', path: '/postings/saved' },
  { as: 'professional', path: '/professionals/candidates?category=active&pageSize=15' },
  { as: 'professional', path: '/professionals/candidates?category=archived' },
] as const;

describe('The usual stack of the benchmarks', () => {
  let place: string;
  let answers: unknown[];
  let database: Database;
  let server: Server;
  let url: string;
  const log: string[] = [];

  /** Two have applied for a posting; the first is shortlisted, and has saved both postings. */
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'hiring-usual-'));
    const file = (name: string) => ({ kind: 'sqlite', path: join(place, name) }) as const;
    const stores = { eventStore: file('events.db'), readModels: file('read-models.db') };
    const service = await startService({ stores });
    await putFacts(service);
    await putPosting(service, ids.otherPosting);
    await putProfessional(service, ids.otherProfessional, { userId: ids.otherUser, firstName: 'Bob' });
    const candidate = await apply(service);
    service.clock.advance(1);
    await apply(service, claims.otherProfessional);
    await change(service, candidate, { isShortlisted: true });
    await save(service);
    await save(service, ids.otherPosting);
    answers = [];
    for (const { as, path } of lists) answers.push((await service.send('GET', path, { as })).body);
    await service.stop();

    database = openDatabase(file('read-models.db').path);
    const app = createUsual(database, jwtSecret, { write: (line) => void log.push(line) });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no port');
    url = `http://127.0.0.1:${address.port}`;
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    database.connection.close();
    await rm(place, { recursive: true });
  });

  const send = async (
    path: string,
    as: keyof typeof claims,
    post?: { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(url + path, {
      method: post ? 'POST' : 'GET',
      headers: {
        Authorization: `Bearer ${await tokenFor(claims[as])}`,
        ...(post && { 'Content-Type': 'application/json', ...post.headers }),
      },
      ...(post && { body: JSON.stringify(post.body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const savesOf = (as: 'otherProfessional' | 'professional') =>
    database.connection
      .prepare('SELECT postingId FROM saves WHERE professionalId = ?')
      .raw()
      .all([claims[as].professional_id])
      .flat();

  for (const [index, { as, path }] of lists.entries())
    it(`answers GET ${path} for the ${as} as the service does`, async () => {
      expect(await send(path, as)).to.deep.equal({ status: 200, body: answers[index] });
    });

  it('saves a posting once', async () => {
    const post = { body: { postingId: ids.posting } };
    const first = await send(SAVE, 'otherProfessional', post);
    expect(first.status).to.equal(200);
    expect(first.body).to.include({ postingId: ids.posting, isSaved: true });
    expect(await send(SAVE, 'otherProfessional', post)).to.deep.equal(first);
    expect(savesOf('otherProfessional').filter((id) => id === ids.posting)).to.have.length(1);
  });

  it('knows what was saved before', () => {
    expect(savesOf('professional')).to.have.members([ids.posting, ids.otherPosting]);
  });

  it('saves no posting that is not there', async () => {
    expect(await send(SAVE, 'professional', { body: { postingId: 'posting-unknown' } })).to.deep.equal({
      status: 404,
      body: { error: 'No posting has the id in body/postingId' },
    });
  });

  it('answers the same again under an Idempotency-Key, which is for one request', async () => {
    const headers = { 'Idempotency-Key': 'one-key' };
    const post = { headers, body: { postingId: ids.otherPosting } };
    const first = await send(SAVE, 'otherProfessional', post);
    expect(await send(SAVE, 'otherProfessional', post)).to.deep.equal(first);
    const other = await send(SAVE, 'otherProfessional', { headers, body: { postingId: ids.posting } });
    expect(other.status).to.equal(422);
  });

  for (const [what, status, path, as] of [
    ['a page 0', 400, '/postings/saved?page=0', 'professional'],
    ["another office's candidates", 403, `/postings/${ids.posting}/candidates`, 'otherOffice'],
    ['what is for professionals, asked by an office', 403, '/postings/saved', 'office'],
    ['what is for administrators, asked by an office', 403, `/admin/postings/a/candidates`, 'office'],
  ] as const)
    it(`refuses ${what}`, async () => {
      expect((await send(path, as)).status).to.equal(status);
    });

  for (const [what, authorization] of [
    ['no token', undefined],
    ['a token that is none', 'Bearer x.y.z'],
  ] as const)
    it(`refuses a request with ${what}`, async () => {
      const headers = authorization === undefined ? undefined : { Authorization: authorization };
      expect((await fetch(`${url}/postings/saved`, { ...(headers && { headers }) })).status).to.equal(401);
    });

  it('logs each request, and no token', async () => {
    log.length = 0;
    await send('/postings/saved', 'professional');
    expect(log).to.have.length(1);
    expect(log[0]).to.contain('"/postings/saved"').and.to.contain('[Redacted]').and.not.to.contain('Bearer');
  });

  it('measures each request', async () => {
    await send('/postings/saved', 'professional');
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).to.contain(
      'http_request_duration_seconds_count{method="GET",route="/postings/saved",status="200"}',
    );
  });
});
