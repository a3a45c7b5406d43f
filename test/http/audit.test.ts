import { expect } from 'chai';
import type { RecordedAct } from '../../src/audit/acts.ts';
import { LogUnavailableError } from '../../src/event-store/port.ts';
import { eventually } from '../support/eventually.ts';
import { ids } from '../support/examples.ts';
import { expectError, rowsAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { acts, requestOf } from './operations.ts';
import { putEverything, unchanged } from './stories.ts';

const NAME = 'saved-postings';

describe('The audit over HTTP', () => {
  let service: CheckedService;
  beforeEach(async () => {
    service = await startCheckedService();
    await putEverything(service);
    await eventually('the first builds are complete', async () =>
      (await projections()).every(({ builds }) => rowsAt(builds).every(({ step }) => step === 'ready')),
    );
  });
  afterEach(() => service.stop());

  const projections = async () =>
    rowsAt((await service.send('GET', '/admin/projections', { as: 'admin' })).body, 'data');
  const audit = async (query = '') => {
    const answer = await service.send('GET', `/admin/audit${query}`, { as: 'admin' });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as { data: RecordedAct[]; page: number; pageSize: number; total: number };
  };
  const toldOf = ({ data }: { readonly data: readonly RecordedAct[] }) =>
    data.map(({ actor, operation, phase, detail }) => [actor, operation, phase, detail]);
  const ask = (act: string, body: Readonly<Record<string, unknown>> = {}) =>
    service.send('POST', `/admin/projections/${NAME}/${act}`, { as: 'admin', body });
  const pauseAndResume = async (): Promise<void> => {
    await ask('pause', { confirm: NAME });
    await ask('resume');
  };

  it('has every act with its actor, the last first', async () => {
    for (const operation of acts) await service.send('POST', operation.path, requestOf(operation));
    const found = (await audit('?pageSize=100')).data.filter(({ operation }) => operation !== 'switch');
    expect(found.map(({ actor }) => actor)).to.deep.equal(acts.map(() => ids.admin));
    expect(found.map(({ operation }) => operation)).to.deep.equal([
      'skip',
      'retry',
      'resume',
      'pause',
      'cancel',
      'verify',
      'rebuild',
      'rollback',
    ]);
    expect(found.find(({ operation }) => operation === 'skip')).to.deep.include({
      parameters: { projections: [NAME], stream: 'office-x' },
      phase: 'failed',
      detail: `The stream office-x is not parked in ${NAME}`,
    });
    expect(found.find(({ operation }) => operation === 'pause')).to.include({ phase: 'completed' });
  });

  it('has the reason that was given for an act', async () => {
    await ask('pause', { confirm: NAME, reason: 'lists are to stand still' });
    const [paused] = (await audit()).data;
    expect(paused?.parameters).to.deep.equal({ projections: [NAME], reason: 'lists are to stand still' });
    const refused = await ask('pause', { confirm: NAME, reason: 'a\u202Eb' });
    expect(refused.status).to.equal(400);
  });

  it('has the request of an act', async () => {
    const headers = { 'X-Request-Id': 'request-of-an-act' };
    await service.send('POST', `/admin/projections/${NAME}/resume`, { as: 'admin', body: {}, headers });
    expect((await audit()).data[0]).to.include({ requestId: 'request-of-an-act' });
  });

  it('has the switch to what was built, which the projector makes', async () => {
    await ask('rebuild', { confirm: NAME });
    await eventually('it is served', async () => (await audit()).data.some(({ operation }) => operation === 'switch'));
    await eventually('that is over', async () => (await audit()).data[0]?.phase === 'completed');
    const [switched, rebuilt] = (await audit()).data;
    expect(switched).to.include({ actor: 'service:projector', operation: 'switch' });
    expect(rebuilt).to.include({ actor: ids.admin, operation: 'rebuild', detail: switched?.parameters['build'] });
  });

  it('has nothing of requests that would change nothing', () =>
    unchanged(service, async () => {
      expectError(await ask('rebuild', { confirm: 'specialties' }), 400, /^body\/confirm/);
      expectError(await ask('pause'), 400, /confirm is required/);
      const unknown = await service.send('POST', '/admin/projections/unknown/resume', { as: 'admin', body: {} });
      expectError(unknown, 404, /^There is no projection unknown/);
      const byOffice = await service.send('POST', `/admin/projections/${NAME}/resume`, { as: 'office', body: {} });
      expectError(byOffice, 403, /admin/);
      await projections();
      await audit();
    }));

  it('is paged, and of one actor, of one kind or since a time', async () => {
    for (let round = 0; round < 3; round++) await pauseAndResume();
    const { data, ...pages } = await audit('?page=2&pageSize=4');
    expect(pages).to.deep.equal({ page: 2, pageSize: 4, total: 6 });
    expect(data.map(({ operation }) => operation)).to.deep.equal(['resume', 'pause']);
    expect((await audit('?page=3&pageSize=4')).data).to.deep.equal([]);

    expect(toldOf(await audit(`?actor=${ids.admin}`))).to.have.lengthOf(6);
    expect(toldOf(await audit('?actor=os:ada'))).to.deep.equal([]);
    expect(toldOf(await audit('?operation=pause')).map(([, operation]) => operation)).to.deep.equal(
      Array(3).fill('pause'),
    );
    const since = (await audit()).data[1]?.requestedAt ?? '';
    expect(await audit(`?since=${since}`)).to.include({ total: 2 });
    expect(await audit(`?since=${since.replace('Z', '%2B00:00')}`)).to.include({ total: 2 });
  });

  it('refuses parameters that make no sense', async () => {
    for (const [query, message] of [
      ['?since=yesterday', /^query\/since must be an RFC 3339 date-time/],
      ['?since=2020-01-01T00:00:00Z', /^query\/since must be at most 366 days ago/],
      ['?actor=', /^query\/actor must have at least 1 character/],
      ['?page=0', /^query\/page must be >= 1/],
      ['?pageSize=101', /^query\/pageSize must be <= 100/],
      ['?page=1&page=2', /^query\/page must not be given twice/],
    ] as const)
      expectError(await service.send('GET', `/admin/audit${query}`, { as: 'admin' }), 400, message);
  });

  it('is needed: an act that cannot be recorded is a 503, and not done', async () => {
    const buildsNow = async () =>
      (await projections()).map(({ name, live, paused, builds }) => [
        name,
        live,
        paused,
        rowsAt(builds).map(({ id }) => id),
      ]);
    const before = await buildsNow();
    Object.assign(service.app.eventStore, {
      append: () => Promise.reject(new LogUnavailableError('the event log cannot be written')),
    });
    for (const operation of acts) {
      const answer = await service.send('POST', operation.path, requestOf(operation));
      expectError(answer, 503, /^Nothing can be stored now/);
    }
    expect(await buildsNow()).to.deep.equal(before);
    expect(await audit()).to.include({ total: 0 });
  });
});
