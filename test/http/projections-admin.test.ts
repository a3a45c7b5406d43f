import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { ids, metadata } from '../support/examples.ts';
import { at, expectError, listAt, rowsAt, textAt, type Row } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { acts, requestOf } from './operations.ts';
import { putEverything, save, unsave } from './stories.ts';

const NAME = 'saved-postings';

describe('Projections over HTTP', () => {
  let service: CheckedService;

  const list = async () => rowsAt((await service.send('GET', '/admin/projections', { as: 'admin' })).body, 'data');
  const projection = async (): Promise<Row> => {
    const found = (await list()).find(({ name }) => name === NAME);
    if (!found) throw new Error(`${NAME} is not in the list`);
    return found;
  };
  const buildsNow = async () => rowsAt(await projection(), 'builds');
  const ask = (act: string, body: Readonly<Record<string, unknown>> = {}, name = NAME) =>
    service.send('POST', `/admin/projections/${name}/${act}`, { as: 'admin', body });
  const confirmed = (act: string, more: Readonly<Record<string, unknown>> = {}) => ask(act, { confirm: NAME, ...more });
  const saved = () => service.send('GET', '/postings/saved', { as: 'professional' });
  const isServed = (build: string) =>
    eventually(`${build} is served`, async () => (await projection())['live'] === build);
  const rebuilt = async (more: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const answer = await confirmed('rebuild', more);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    return textAt(answer.body, 'build');
  };

  const start = async () => {
    service = await startCheckedService();
    await putEverything(service);
    await save(service);
    await eventually('the first builds are complete', async () =>
      (await list()).every((each) => at(each, 'builds', 0, 'step') === 'ready'),
    );
  };

  describe('where the caller may and confirms it', () => {
    beforeEach(start);
    afterEach(() => service.stop());

    it('are listed with all their builds', async () => {
      await saved();
      const all = await list();
      expect(all.map(({ name }) => name)).to.include.members([NAME, 'specialties']);
      const { live, paused, version, builds } = await projection();
      expect({ live, paused }).to.deep.equal({ live: `${NAME}@${String(version)}.1`, paused: null });
      expect(at(builds, 0)).to.include({ id: live, state: 'live', step: 'ready', lagEvents: 0 });
      expect(textAt(builds, 0, 'position')).to.match(/^\d+/);
    });

    it('are rebuilt beside what is served, which is kept', async () => {
      const { live } = await projection();
      const build = await rebuilt({ keepHours: 48 });
      await isServed(build);
      const [now, before] = await buildsNow();
      expect(now).to.include({ id: build, state: 'live', step: 'ready' });
      expect(at(now, 'verification', 'total')).to.equal(0);
      expect(before).to.include({ id: live, state: 'kept' });
      expect(listAt((await saved()).body, 'data')).to.have.length(1);
      expect(at(await projection(), 'verified', 'build')).to.equal(build);
    });

    it('are read and written while they are rebuilt, and after it', async () => {
      // Given a slow rebuild
      const build = await rebuilt({ throttle: 2 });
      // When clients write and read meanwhile
      for (let round = 0; round < 20; round++) {
        await (round % 2 === 0 ? unsave(service) : save(service));
        const { status, body } = await saved();
        expect(status).to.equal(200);
        expect(listAt(body, 'data')).to.have.length(round % 2);
      }
      // Then it is still under way, and once its throttle is lifted the standby build is served
      expect(at((await buildsNow())[1], 'state')).to.be.oneOf(['built', 'verified']);
      expect(await rebuilt()).to.equal(build);
      await isServed(build);
      expect(listAt((await saved()).body, 'data')).to.have.length(1);
      await unsave(service);
      expect(listAt((await saved()).body, 'data')).to.have.length(0);
    });

    it('are rolled back at once to what was served before', async () => {
      const { live } = await projection();
      await isServed(await rebuilt());
      const back = { confirm: NAME, to: live };
      for (const turn of ['once', 'again'])
        expect((await ask('rollback', back)).body, turn).to.include({ projection: NAME, live });
      await unsave(service);
      expect(listAt((await saved()).body, 'data')).to.have.length(0);
    });

    it('are compared with a rebuild that is dropped again', async () => {
      const answer = await ask('verify');
      expect(answer.status).to.equal(202);
      const build = textAt(answer.body, 'build');
      await eventually('it is compared', async () => at(await projection(), 'verified', 'build') === build);
      const { verified, live } = await projection();
      expect(at(verified, 'report', 'total')).to.equal(0);
      expect(live).not.to.equal(build);
    });

    it('keep what is served when a rebuild is cancelled', async () => {
      const { live } = await projection();
      const build = await rebuilt({ throttle: 1 });
      expect((await confirmed('cancel')).body).to.include({ live });
      expect((await buildsNow()).map(({ id }) => id)).not.to.include(build);
    });

    it('are paused, which a Consistency-Token meets with a 503 that names it, and resumed', async () => {
      const { body } = await confirmed('pause');
      expect(at(body, 'paused', 'by')).to.equal(ids.admin);
      let round = 0;
      await eventually('the pause is known', async () => {
        // What is written before the service learns of the pause is still applied.
        await (round++ % 2 === 0 ? unsave(service) : save(service));
        const refused = await saved();
        return refused.status === 503 && textAt(refused.body, 'error').includes(`${NAME} is paused`);
      });
      // A read without a token shows what was applied.
      const answer = await service.send('GET', '/postings/saved', {
        as: 'professional',
        headers: { 'Consistency-Token': '' },
      });
      expect(answer.status).to.equal(200);
      const ready = await service.send('GET', '/health/ready', { key: null });
      expect(ready.body).to.include({ status: 'degraded' });
      expect(at(ready.body, 'projections', 0)).to.include({ projection: NAME, reason: 'it is paused' });

      await unsave(service);
      expect((await ask('resume')).body).to.include({ paused: null });
      await eventually('it is served again', async () => (await saved()).status === 200);
      expect(listAt((await saved()).body, 'data')).to.have.length(0);
    });

    it('with a stream that is parked are told of, retried, and go on when the event is skipped', async () => {
      // Given an event that this code cannot read
      const event = {
        id: '01939d0a-0000-7000-8000-000000000000',
        type: 'OfficeRecorded',
        version: 99,
        data: {},
        metadata,
      };
      const stream = 'office-newer';
      await service.app.eventStore.append({ stream, expectedRevision: -1, events: [event] });
      const parked = async () => rowsAt(await projection(), 'builds', 0, 'quarantined');
      await eventually('its stream is parked', async () => (await parked()).length === 1);
      expect((await parked())[0]).to.include({ stream, type: 'OfficeRecorded', revision: 0 });
      await eventually('it is degraded', async () => {
        const { body } = await service.send('GET', '/health/ready', { key: null });
        return JSON.stringify(body).includes('1 stream is parked at an event that cannot be applied');
      });
      // Other projections apply offices too, and may have reported theirs before.
      const counted = new RegExp(`^projection_quarantined_streams\\{projection="${NAME}"\\} 1$`, 'm');
      await eventually('the metrics count it', async () =>
        counted.test(await (await fetch(`${service.url}/metrics`)).text()),
      );

      // When the stream is retried it is parked as before, and when the event is skipped it is not
      expect((await ask('retry', { stream })).body).to.include({ waitingStreams: 1 });
      await eventually('it was tried', async () => at((await parked())[0], 'request') === 'none');
      expect((await confirmed('skip', { stream })).status).to.equal(200);
      await eventually('nothing is parked', async () => (await parked()).length === 0);
      expectError(await ask('retry', {}), 409, /No stream of saved-postings is parked/);
    });
  });

  describe('are left as they are', () => {
    before(start);
    after(() => service.stop());

    /** Without the members that change by themselves. */
    const builds = async () =>
      (await list()).map(({ name, live, paused, builds: all }) => ({
        name,
        live,
        paused,
        builds: rowsAt(all).map(({ id, step, throttle, quarantined }) => ({ id, step, throttle, quarantined })),
      }));
    const unchangedBuilds = async (act: () => Promise<unknown>) => {
      const before = await builds();
      await act();
      expect(await builds()).to.deep.equal(before);
    };

    for (const operation of acts.filter(({ body }) => body && 'confirm' in body)) {
      it(`by ${operation.name} that confirms another name: 400`, () =>
        unchangedBuilds(async () => {
          for (const confirm of ['', 'specialties', NAME.toUpperCase()]) {
            const answer = await service.send('POST', operation.path, {
              as: 'admin',
              body: { ...operation.body, confirm },
            });
            expectError(answer, 400, /^body\/confirm must be the name of the projection, saved-postings$/);
          }
        }));
      it(`by ${operation.name} without a confirmation: 400`, () =>
        unchangedBuilds(async () => {
          const { confirm: _confirm, ...body } = operation.body ?? {};
          expectError(await service.send('POST', operation.path, { as: 'admin', body }), 400, /confirm is required/);
        }));
    }

    for (const operation of acts)
      it(`by ${operation.name} of an unknown projection: 404`, () =>
        unchangedBuilds(async () => {
          const { body } = operation;
          const answer = await service.send('POST', operation.path.replace(NAME, 'unknown'), {
            ...requestOf(operation),
            ...(body && 'confirm' in body ? { body: { ...body, confirm: 'unknown' } } : {}),
          });
          expectError(answer, 404, /^There is no projection unknown; allowed: .*saved-postings/);
        }));

    for (const [act, body, message] of [
      ['rollback', {}, /No other build of saved-postings is kept/],
      ['cancel', {}, /No build of saved-postings is under way/],
      ['skip', { stream: 'office-x' }, /The stream office-x is not parked in saved-postings/],
    ] as const)
      it(`by ${act} where there is nothing to do: 409`, () =>
        unchangedBuilds(async () => expectError(await confirmed(act, body), 409, message)));
  });
});
