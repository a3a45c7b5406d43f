import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { apiKeys, claims } from '../support/examples.ts';
import { expectError, textAt } from './answer-rules.ts';
import { bearer, startCheckedService, type CheckedService } from './checked-service.ts';
import { follow, type Followed } from './followed-events.ts';
import { putEverything, save } from './stories.ts';

const NAME = 'saved-postings';
const PATH = '/admin/projections/events';

describe('The events of builds', () => {
  let service: CheckedService;
  const ask = async (act: string, body: Readonly<Record<string, unknown>>) =>
    (await service.send('POST', `/admin/projections/${NAME}/${act}`, { as: 'admin', body })).body;
  const rebuild = async (more: Readonly<Record<string, unknown>> = {}) =>
    textAt(await ask('rebuild', { confirm: NAME, ...more }), 'build');
  const of = ({ events }: Followed, build: string) => events.filter(({ data }) => data['build'] === build);
  const outcomeOf = (followed: Followed, build: string) =>
    of(followed, build).find(({ event }) => event === 'outcome')?.data;

  beforeEach(async () => {
    service = await startCheckedService();
    await putEverything(service);
    await save(service);
    await eventually('the first builds are complete', async () => {
      const { body } = await service.send('GET', '/admin/projections', { as: 'admin' });
      return !JSON.stringify(body).includes('"step":"build"');
    });
  });
  afterEach(() => service.stop());

  it('tell a rebuild from its beginning to its end', async () => {
    const followed = await follow(service.url);
    expect(followed.status).to.equal(200);
    expect(followed.type).to.match(/^text\/event-stream/);
    await eventually('it is let in', () => followed.comments.length > 0);

    const build = await rebuild({ throttle: 2 });
    await eventually('it is begun', () => of(followed, build).length > 0);
    await rebuild();
    await eventually('it is over', () => outcomeOf(followed, build) !== undefined);

    const lines = of(followed, build).filter(({ event }) => event === 'build');
    expect(Object.keys(lines[0]?.data ?? {})).to.deep.equal([
      'projection',
      'build',
      'step',
      'events',
      'of',
      'perSecond',
      'secondsLeft',
    ]);
    expect(lines[0]?.data).to.include({ projection: NAME, step: 'build' });
    expect(lines.at(-1)?.data).to.include({ step: 'ready' });
    expect(outcomeOf(followed, build)).to.include({ projection: NAME, kind: 'served' });
    // Each event tells something new.
    const texts = followed.events.map((each) => JSON.stringify(each));
    expect(new Set(texts).size).to.equal(texts.length);
    followed.leave();
  });

  it('tell who comes later what is under way, and nothing of what is over', async () => {
    const build = await rebuild({ throttle: 1 });
    const followed = await follow(service.url);
    await eventually('it is told', () => of(followed, build).length > 0);
    expect(followed.events.every(({ data }) => data['build'] === build)).to.equal(true);
    await ask('cancel', { confirm: NAME });
    await eventually('it is over', () => outcomeOf(followed, build)?.['kind'] === 'cancelled');
    followed.leave();
  });

  it('end when the service stops, which waits for no client that follows', async () => {
    const other = await startCheckedService();
    const followed = [await follow(other.url), await follow(other.url)];
    const started = performance.now();
    await other.stop();
    expect(performance.now() - started).to.be.below(10_000);
    expect(await Promise.all(followed.map(({ ended }) => ended))).to.deep.equal([true, true]);
  });

  it('are for 16 at a time, and for others when one leaves', async () => {
    const followed: Followed[] = [];
    for (let count = 0; count < 16; count++) followed.push(await follow(service.url, PATH, `admin-${count}`));
    const headers = { Accept: 'text/event-stream' };
    const refused = await service.send('GET', PATH, { as: 'admin', headers });
    expectError(refused, 429, /^16 callers follow/);
    followed.pop()?.leave();
    await eventually('there is a place', async () => {
      const another = await follow(service.url);
      followed.push(another);
      return another.status === 200;
    });
    for (const each of followed) each.leave();
  });

  it('are for administrators', async () => {
    expectError(await service.send('GET', PATH, { as: 'admin', key: null }), 401, /X-API-Key/);
    expectError(await service.send('GET', PATH), 401, /Authorization/);
    expectError(await service.send('GET', PATH, { as: 'office' }), 403, /admin/);
    expectError(await service.send('GET', PATH, { as: 'admin', key: apiKeys.internal }), 403, /scope/);
  });

  it('are refused to who takes only JSON, and have no body for HEAD', async () => {
    const headers = { Accept: 'application/json' };
    expectError(await service.send('GET', PATH, { as: 'admin', headers }), 406, /text\/event-stream/);
    const head = await fetch(service.url + PATH, {
      method: 'HEAD',
      headers: { 'X-API-Key': apiKeys.client, ...(await bearer(claims.admin)) },
    });
    expect(head.status).to.equal(200);
    expect(head.headers.get('Content-Type')).to.match(/^text\/event-stream/);
    expect(await head.text()).to.equal('');
  });
});
