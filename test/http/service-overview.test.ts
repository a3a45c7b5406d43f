import { statfsSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect } from 'chai';
import { savedPostings } from '../../projections/saved-postings.ts';
import { createAudit } from '../../src/audit/audited.ts';
import { eventually } from '../support/eventually.ts';
import { at, expectError, listAt, rowsAt, textAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { putEverything, save, unsave } from './stories.ts';

const NAME = 'saved-postings';
const FIRST = `${NAME}@${savedPostings.version}.1`;
describe('What an administrator is told beside the builds', () => {
  let service: CheckedService;
  const get = async (path = '') => service.send('GET', `/admin/projections${path}`, { as: 'admin' });
  const own = async () => at((await get()).body, 'service');

  before(async () => {
    service = await startCheckedService();
    await putEverything(service);
    await save(service);
    await eventually('the first builds are complete', async () =>
      rowsAt((await get()).body, 'data').every((each) => at(each, 'builds', 0, 'step') === 'ready'),
    );
  });
  after(() => service.stop());

  describe('of the service', () => {
    it('is which instance answers since when, that it is ready, and which threads answer', async () => {
      const told = await own();
      const isOnFiles = service.stores.eventStore.kind === 'sqlite';
      expect(told).to.include({
        instance: `${hostname()}:${process.pid}`,
        status: 'ready',
        reason: null,
        head: await service.head(),
      });
      expect(Date.parse(textAt(told, 'startedAt'))).to.be.closeTo(Date.now(), 600_000);
      expect(at(told, 'stores')).to.deep.equal({
        eventStore: service.stores.eventStore.kind,
        readModels: service.stores.readModels.kind,
      });
      expect(at(told, 'threads')).to.deep.equal(
        [...(isOnFiles ? ['writer'] : []), 'projector', 'history'].map((name) => ({ name, isAnswering: true })),
      );
    });

    it('is how much of the disk is free, where the service has files', async () => {
      const disk = at(await own(), 'disk');
      if (service.stores.readModels.kind !== 'sqlite') expect(disk).to.equal(null);
      else {
        const { blocks, bsize } = statfsSync(service.directory);
        expect(at(disk, 'totalBytes')).to.equal(blocks * bsize);
        expect(at(disk, 'freeBytes'))
          .to.be.a('number')
          .within(1, blocks * bsize);
      }
    });

    it('is when the last backup was asked for, and by whom, where the events are in files', async () => {
      expect(at(await own(), 'lastBackup')).to.equal(null);
      const audit = createAudit(service.app.eventStore);
      const asked = { operation: 'backup', parameters: { to: '/backups/one.db' } } as const;
      await audit({ actor: 'os:ada' })(asked, () => Promise.resolve());
      const failing = audit({ actor: 'os:bob' })(asked, () => Promise.reject(new Error('no space')));
      await failing.catch(() => undefined);
      const backup = at(await own(), 'lastBackup');
      if (service.stores.eventStore.kind !== 'sqlite') expect(backup).to.equal(null);
      else {
        expect(at(backup, 'actor')).to.equal('os:ada');
        expect(Date.parse(textAt(backup, 'at'))).to.be.closeTo(Date.now(), 600_000);
      }
    });

    it('is why it is degraded, as /health/ready says it', async () => {
      const ask = (act: string, body = {}) =>
        service.send('POST', `/admin/projections/${NAME}/${act}`, { as: 'admin', body });
      await ask('pause', { confirm: NAME });
      let round = 0;
      await eventually('it is degraded', async () => {
        // What is written before the service learns of the pause is still applied.
        await (round++ % 2 === 0 ? unsave(service) : save(service));
        return at(await own(), 'status') === 'degraded';
      });
      expect(at(await own(), 'reason')).to.equal(`${NAME}: it is paused`);
      await ask('resume');
      await eventually('it is ready', async () => at(await own(), 'reason') === null);
    });
  });

  describe('of a rebuild that is not begun', () => {
    it('is how many events it would apply, and how long that would take once a rate is known', async () => {
      const { status, body } = await get(`/${NAME}/plan`);
      expect(status).to.equal(200);
      expect(body).to.include({ projection: NAME, version: savedPostings.version, live: FIRST });
      expect(at(body, 'events')).to.be.a('number').greaterThan(0);
      const perSecond = at(body, 'perSecond');
      expect(at(body, 'seconds') === null).to.equal(perSecond === null || perSecond === 0);
      expect(listAt((await get()).body, 'data', 0, 'builds')).to.have.length(1);
    });

    it('is nothing of an unknown projection: 404', async () => {
      expectError(await get('/unknown/plan'), 404, /^There is no projection unknown; allowed: /);
    });
  });
});
