import { expect } from 'chai';
import { pino } from 'pino';
import { START_POSITION } from '../../src/event-store/port.ts';
import { createThreadMonitor, type ThreadMonitor } from '../../src/monitoring/thread-monitor.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { createServiceOverview, type ServiceOverviewOptions } from '../../src/monitoring/service-overview.ts';

const NOW = '2026-03-02T09:00:00.000Z';

/** What is told of a service on servers, or with files in a directory that is not there. */
const told = ({ isOnFiles = false, ...more }: Partial<ServiceOverviewOptions> & { isOnFiles?: boolean } = {}) =>
  createServiceOverview({
    stores: isOnFiles
      ? {
          eventStore: { kind: 'sqlite', path: '/nowhere/events.db' },
          readModels: { kind: 'sqlite', path: '/nowhere/read-models.db' },
        }
      : {
          eventStore: { kind: 'eventstoredb', url: 'esdb://events', prefix: '', categories: [] },
          readModels: { kind: 'mongodb', url: 'mongodb://read-models' },
        },
    clock: () => new Date(NOW),
    eventStore: { head: () => Promise.resolve('7') },
    readiness: () => Promise.resolve({ status: 'ready' }),
    threads: { isAnswering: () => true },
    lastBackup: () => Promise.resolve({ requestedAt: NOW, actor: 'os:ada' }),
    ...more,
  })();

describe('What is told of the service', () => {
  it('has no writer, disk or backup on servers', async () => {
    const { threads, disk, lastBackup, stores } = await told();
    expect(threads.map(({ name }) => name)).to.deep.equal(['projector', 'history']);
    expect({ disk, lastBackup }).to.deep.equal({ disk: null, lastBackup: null });
    expect(stores).to.deep.equal({ eventStore: 'eventstoredb', readModels: 'mongodb' });
  });

  it('is told though a store, the disk or the audit fails, or does not answer in time', async () => {
    const never = () => new Promise<never>(() => undefined);
    const fails = () => Promise.reject(new Error('the disk hangs'));
    for (const [head, lastBackup] of [
      [never, fails],
      [fails, never],
    ] as const)
      expect(await told({ isOnFiles: true, eventStore: { head }, lastBackup })).to.include({
        head: null,
        disk: null,
        lastBackup: null,
      });
  });

  it('has no head before the first event', async () => {
    expect(await told({ eventStore: { head: () => Promise.resolve(START_POSITION) } })).to.include({ head: null });
  });

  it('gives all reasons for which it is not ready or degraded', async () => {
    const projections = [{ projection: 'lists', lagEvents: 3, lagSeconds: 1, reason: 'it is paused' }];
    const reason = 'nothing can be stored: the disk is full';
    expect(await told({ readiness: () => Promise.resolve({ status: 'not ready', reason, projections }) })).to.include({
      status: 'not ready',
      reason: `${reason}; lists: it is paused`,
    });
    const eventLog = 'the event log lacks 2 events';
    expect(await told({ readiness: () => Promise.resolve({ status: 'degraded', projections, eventLog }) })).to.include({
      status: 'degraded',
      reason: `${eventLog}; lists: it is paused`,
    });
  });

  describe('never says of a thread that it answers', () => {
    let threads: ThreadMonitor;
    const silent = async () =>
      (await told({ isOnFiles: true, threads })).threads.flatMap(({ name, isAnswering }) =>
        isAnswering ? [] : [name],
      );
    beforeEach(() => {
      threads = createThreadMonitor(createMetrics(), pino({ enabled: false }));
    });

    it('while it hangs', async () => {
      for (const name of ['writer', 'projector', 'history'] as const) {
        threads.note(name, true);
        expect(await silent()).to.deep.equal([name]);
        threads.note(name, false);
        expect(await silent()).to.deep.equal([]);
      }
    });

    it('from when it has ended by itself until another one has begun', async () => {
      threads.note('projector', true);
      // A thread that is killed no longer hangs.
      threads.note('projector', false);
      threads.ended('projector');
      expect(await silent()).to.deep.equal(['projector']);
      threads.begun('projector');
      expect(await silent()).to.deep.equal([]);
    });
  });
});
