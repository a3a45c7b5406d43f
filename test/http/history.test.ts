import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { apiKeys, bodies, claims, ids } from '../support/examples.ts';
import { tokenFor } from '../support/service.ts';
import { expectError, rowsAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { answeredWithLines, questions } from './operations.ts';
import { apply, change, putFacts } from './stories.ts';

const READ_MODEL = `/history/read-models/posting-candidates/${ids.posting}`;
const { firstName, lastName, email, phone } = bodies.professional;

interface Line {
  readonly type: string;
  readonly position: string;
}

describe('The history over HTTP', () => {
  let service: CheckedService;
  beforeEach(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  afterEach(() => service.stop());

  const asking = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    as: keyof typeof claims = 'analyst',
  ): Promise<IncomingMessage> => {
    const request = get(service.url + path, {
      headers: { 'X-API-Key': apiKeys.client, Authorization: `Bearer ${await tokenFor(claims[as])}`, ...headers },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };
  const linesIn = (text: string): readonly Line[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  const eventsAt = async (path: string): Promise<readonly Line[]> =>
    linesIn((await buffer(await asking(path))).toString());
  const ask = (path: string, as: keyof typeof claims = 'analyst') => service.send('GET', path, { as });

  it('answers analysts and administrators, and nobody else', async () => {
    for (const { path } of questions.filter(({ name }) => !answeredWithLines.includes(name))) {
      for (const as of ['analyst', 'admin'] as const) expect((await ask(path, as)).status, path).to.equal(200);
      for (const as of ['office', 'professional', 'nobody'] as const)
        expectError(await ask(path, as), 403, /role analyst or admin/);
    }
    for (const path of ['/history/events', '/history/read-models/posting-candidates'])
      expectError(await ask(path, 'office'), 403, /role analyst or admin/);
  });

  it('shows the rows of then as the query answered them, but for masks', async () => {
    const id = await apply(service);
    const before = await service.send('GET', `/postings/${ids.posting}/candidates`, { as: 'office' });
    const position = await service.head();
    await change(service, id, { officeStatus: 'hired' });
    const then = (await ask(`${READ_MODEL}?at=${position}`)).body;
    expect(then).to.include({ position, partition: ids.posting });
    const [row = {}] = rowsAt(then, 'rows');
    const [wanted = {}] = rowsAt(before.body, 'data');
    expect(Object.keys(row)).to.deep.equal(Object.keys(wanted));
    expect(row).to.include({ officeStatus: 'applied', id });
    expect(row['professionalName']).to.match(/^masked-/);
    // The same bytes again, whatever was written since.
    expect((await ask(`${READ_MODEL}?at=${position}`)).body).to.deep.equal(then);
    const { body } = await ask(`${READ_MODEL}/difference?from=${position}`);
    expect(rowsAt(body, 'rows')[0]).to.include({ kind: 'changed', id });
    const explained = await ask(`/history/read-models/posting-candidates/rows/${id}/explanation`);
    expect(rowsAt(explained.body, 'members').find(({ member }) => member === 'officeStatus')).to.include({
      value: 'hired',
    });
    const story = await ask(`/history/entities/candidate/${id}`);
    expect(rowsAt(story.body, 'events').map(({ type }) => type)).to.deep.equal(['CandidateApplied', 'CandidateHired']);
  });

  it('shows all rows of a read model as of a moment', async () => {
    const id = await apply(service);
    const before = await service.head();
    await change(service, id, { officeStatus: 'hired' });
    const path = '/history/read-models/posting-candidates';
    const response = await asking(`${path}?at=${before}`);
    const bytes = (await buffer(response)).toString();
    expect(response.headers).to.include({ 'content-type': 'application/x-ndjson', 'history-position': before });
    const { body } = await ask(`${READ_MODEL}?at=${before}`);
    expect(linesIn(bytes)).to.deep.equal(rowsAt(body, 'rows').map((row) => ({ postingId: ids.posting, ...row })));
    expect((await buffer(await asking(`${path}?at=${before}`))).toString()).to.equal(bytes);
    const [now] = linesIn((await buffer(await asking(path))).toString());
    expect(now).to.include({ id, officeStatus: 'hired' });
  });

  it('explains a saved posting by its id with a slash', async () => {
    await service.send('POST', '/professionals/postings/save', {
      as: 'professional',
      body: { postingId: ids.posting },
    });
    const row = encodeURIComponent(`${ids.professional}/${ids.posting}`);
    const { status, body } = await ask(`/history/read-models/saved-postings/rows/${row}/explanation`);
    expect(status).to.equal(200);
    expect(rowsAt(body, 'members')).to.not.deep.equal([]);
  });

  it('finds events, oldest or newest first, and goes on where a page ended', async () => {
    await apply(service);
    const all = await eventsAt('/history/events');
    expect(all.map(({ type }) => type)).to.include.members(['OfficeRecorded', 'CandidateApplied']);
    const first = await eventsAt('/history/events?limit=2');
    const rest = await eventsAt(`/history/events?from=${first.at(-1)?.position ?? ''}`);
    expect([...first, ...rest]).to.deep.equal(all);
    expect(await eventsAt('/history/events?newest=true')).to.deep.equal(all.toReversed());
    const query = 'type=CandidateApplied&type=PostingRecorded&entity=posting:' + ids.posting;
    expect((await eventsAt(`/history/events?${query}`)).map(({ type }) => type)).to.deep.equal([
      'PostingRecorded',
      'CandidateApplied',
    ]);
  });

  it('names what events were found in, and compresses them', async () => {
    const plain = await asking('/history/events');
    const { headers } = plain;
    expect(headers['content-type']).to.equal('application/x-ndjson');
    expect(headers['history-position']).to.equal(await service.head());
    expect(headers['history-recorded-at']).to.match(/Z$/);
    expect(headers['history-code']).to.match(/^\d+\.\d+\.\d+/);
    expect(headers.vary).to.include('Accept-Encoding');
    const bytes = await buffer(plain);
    const packed = await asking('/history/events', { 'Accept-Encoding': 'gzip' });
    expect(packed.headers['content-encoding']).to.equal('gzip');
    expect(gunzipSync(await buffer(packed)).equals(bytes)).to.equal(true);
    // Again with that position, the same bytes.
    await apply(service);
    const again = await asking(`/history/events?to=${String(headers['history-position'])}`);
    expect((await buffer(again)).equals(bytes)).to.equal(true);
  });

  it('makes a report as a page that a browser shows, and names what it was made from', async () => {
    await apply(service);
    const plain = await asking('/history/report?profession=hygienist');
    const { headers } = plain;
    expect(plain.statusCode).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(headers['history-position']).to.equal(await service.head());
    // The page says itself which style is its own.
    expect(headers['content-security-policy']).to.equal(
      "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none'",
    );
    const bytes = await buffer(plain);
    expect(bytes.toString()).to.match(/^<!doctype html>[\s\S]*the profession hygienist[\s\S]*<\/html>\s*$/);
    const packed = await asking('/history/report?profession=hygienist', { 'Accept-Encoding': 'gzip' });
    expect(gunzipSync(await buffer(packed)).equals(bytes)).to.equal(true);
  });

  it('follows events until the client leaves', async () => {
    const response = await asking('/history/events?follow=true&type=CandidateApplied');
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const id = await apply(service);
    await eventually('it is told', () => linesIn(text).length === 1);
    expect(text).to.include(id);
    response.destroy();
    // Its place is free again.
    const others = await Promise.all(Array.from({ length: 5 }, () => asking('/history/events?follow=true')));
    expect(others.map(({ statusCode }) => statusCode)).to.deep.equal([200, 200, 200, 200, 200]);
    expectError(await ask('/history/events?follow=true'), 429, /You follow the events 5 times already/);
    for (const other of others) other.destroy();
  });

  it('answers the next client when others have gone before their answers', async () => {
    const gone = Array.from({ length: 20 }, async () => {
      const Authorization = `Bearer ${await tokenFor(claims.analyst)}`;
      const request = get(`${service.url}/history/events`, {
        headers: { 'X-API-Key': apiKeys.client, Authorization },
        agent: new Agent(),
      });
      request.once('socket', (socket) => socket.once('connect', () => setImmediate(() => request.destroy())));
      // It fails, as it is given up.
      await once(request, 'close').catch(() => undefined);
    });
    await Promise.all(gone);
    await eventually('there is a place', async () => (await asking('/history/events')).statusCode === 200);
  });

  it('masks personal data, also in errors, and does not search by it', async () => {
    await apply(service);
    const paths = [
      ...questions.map(({ path }) => path),
      `/history/entities/professional/${ids.professional}`,
      `/history/read-models/professional-profiles/${ids.professional}`,
      `/history/read-models/admin-posting-candidates/${ids.posting}`,
      `/history/events?where=${encodeURIComponent(`data.lastName=${lastName}`)}`,
    ];
    const answers: string[] = [];
    for (const path of paths) answers.push((await buffer(await asking(path))).toString());
    for (const personal of [firstName, email, phone]) for (const text of answers) expect(text).to.not.include(personal);
    expect(answers.at(-1)).to.include('data.lastName is a personal member');
  });

  it('shows personal data to an administrator for a reason, which is recorded first', async () => {
    const path = `/history/read-models/professional-profiles/${ids.professional}`;
    const reason = encodeURIComponent('A call by Ann Lee – urgent');
    const shown = await service.send('GET', path, { as: 'admin', headers: { 'Personal-Data-Reason': reason } });
    expect(rowsAt(shown.body, 'rows')[0]).to.include({ email });
    const acts = await service.send('GET', '/admin/audit', { as: 'admin' });
    expect(rowsAt(acts.body, 'data')[0]).to.deep.include({
      actor: ids.admin,
      operation: 'personal-data',
      phase: 'completed',
      parameters: {
        command: 'history at',
        readModel: 'professional-profiles',
        partition: ids.professional,
        reason: 'A call by Ann Lee – urgent',
      },
    });
    for (const [as, given, status, message] of [
      ['analyst', 'because', 403, /for administrators alone/],
      ['admin', '%20', 400, /Personal-Data-Reason must say why/],
      ['admin', '%zz', 400, /must be percent-encoded/],
      ['admin', 'x%0Ay', 400, /Personal-Data-Reason must say why/],
      ['admin', '%E2%80%AEgnirts', 400, /none of them a control or bidirectional one/],
      ['admin', 'x%C2%85y', 400, /none of them a control or bidirectional one/],
      ['admin', 'x%E2%80%A8y', 400, /none of them a control or bidirectional one/],
      ['admin', '%D8%9C', 400, /none of them a control or bidirectional one/],
    ] as const)
      expectError(await service.send('GET', path, { as, headers: { 'Personal-Data-Reason': given } }), status, message);
  });

  it('keeps the values of a search out of its record', async () => {
    const where = encodeURIComponent(`data.lastName=${lastName}`);
    const found = await asking(`/history/events?where=${where}`, { 'Personal-Data-Reason': 'why' }, 'admin');
    expect((await buffer(found)).toString()).to.include(email);
    const acts = await service.send('GET', '/admin/audit', { as: 'admin' });
    expect(rowsAt(acts.body, 'data')[0]?.['parameters']).to.deep.equal({
      command: 'history search',
      where: ['data.lastName'],
      reason: 'why',
    });
  });

  it('counts as ten requests', async () => {
    await service.stop();
    service = await startCheckedService({ rateLimit: { perSecond: 0.005, burst: 15 } });
    expect((await ask('/history/types')).headers.get('RateLimit-Remaining')).to.equal('5');
    expectError(await ask('/history/types'), 429, /^Too many requests$/);
  });
});

describe('The history over HTTP, asked for what it has not', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  after(() => service.stop());

  for (const [path, status, message] of [
    ['read-models/nothing/p1', 400, /path\/readModel must be one of posting-candidates, /],
    [`${READ_MODEL.slice(9)}?at=yesterday`, 400, /query\/at must be a position, a day in UTC or an RFC 3339 time/],
    [`${READ_MODEL.slice(9)}?at=999999`, 400, /No event stands at the position/],
    [`${READ_MODEL.slice(9)}/difference`, 400, /query\/from is required/],
    ['read-models/posting-candidates/rows/nobody/explanation', 404, /had no row nobody/],
    ['entities/job/j1', 400, /path\/kind must be one of/],
    ['events?type=Nonsense', 400, /must be one of/],
    ['events?entity=job:1', 400, /query\/entity must be <kind>:<id>/],
    ['events?where=x', 400, /A condition has another form/],
    ['types?at=yesterday', 400, /query\/at must be a position/],
    ['report?from=2026-03-02T09:00:01Z&to=2026-03-02T09:00:00Z', 404, /comes after/],
    ['report?state=Texas', 404, /No posting is of the state Texas/],
    ['entities/posting/nobody', 404, /names posting:nobody/],
    ['events?stream=posting-nobody', 404, /There is no stream posting-nobody/],
    ['read-models/posting-candidates/nobody', 404, /names posting:nobody/],
    ['report?to=999999', 400, /No event stands at the position/],
    ['events?limit=0', 400, /query\/limit must be >= 1/],
    ['events?follow=true&newest=true', 400, /follow has no end/],
    ['events?newest=true&limit=1001', 400, /limit must be at most 1000/],
  ] as const)
    it(`refuses ${path}`, async () => {
      expectError(await service.send('GET', `/history/${path}`, { as: 'analyst' }), status, message);
    });
});
