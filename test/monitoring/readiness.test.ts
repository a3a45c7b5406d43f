import { expect } from 'chai';
import type { Lag } from '../../src/monitoring/lag-monitor.ts';
import type { ProjectionStatus } from '../../src/projector/progress.ts';
import { parkedAt } from '../support/parked.ts';
import { createReadinessCheck, type Readiness } from '../../src/monitoring/readiness.ts';

interface Situation {
  readonly status?: Partial<ProjectionStatus>;
  readonly lag?: Partial<Lag>;
  readonly isCaughtUp?: boolean;
  readonly waitsFor?: string;
  readonly unreadable?: string;
  readonly unwritable?: string;
  readonly hung?: string;
  readonly damage?: string;
  readonly isStopping?: boolean;
}

/** The readiness of a service whose lists are in a situation, and whose other projection is fine. */
const readinessIn = (situation: Situation): Promise<Readiness> => {
  const {
    status,
    lag,
    isCaughtUp = true,
    waitsFor,
    unreadable,
    unwritable,
    hung,
    damage,
    isStopping = false,
  } = situation;
  const well: ProjectionStatus = { name: 'people', version: 1, position: '2', errors: 0, lastError: undefined };
  const none: Lag = { events: 0, seconds: 0, lateSeconds: 0, stillSeconds: 0 };
  return createReadinessCheck({
    projections: [
      { name: 'people', version: 1 },
      { name: 'lists', version: 3 },
    ],
    projector: {
      isCaughtUp: () => isCaughtUp,
      waitsFor: () => waitsFor,
      status: () => [well, { ...well, name: 'lists', version: 3, ...status }],
    },
    lags: {
      glance: () =>
        Promise.resolve(
          new Map([
            ['people', none],
            ['lists', { ...none, ...lag }],
          ]),
        ),
    },
    reads: { reason: () => unreadable },
    writes: { reason: () => unwritable },
    threads: { reason: () => hung },
    damage: () => damage,
    isStopping: () => isStopping,
  })();
};

const parked = [parkedAt('list-a', 3), parkedAt('list-b', 0)];
const stuckLag: Lag = { events: 7, seconds: 61.26, lateSeconds: 61, stillSeconds: 61 };

describe('The readiness of the service', () => {
  it('is complete where nothing is behind', async () => {
    expect(await readinessIn({})).to.deep.equal({ status: 'ready' });
  });

  it('is complete where a projection is behind for a moment, whatever the age of the events', async () => {
    const lag = { events: 12, seconds: 86_400, lateSeconds: 0.2, stillSeconds: 0.2 };
    expect(await readinessIn({ lag })).to.deep.equal({ status: 'ready' });
  });

  it('is complete where a failure is over', async () => {
    expect(await readinessIn({ status: { lastError: 'no connection' } })).to.deep.equal({ status: 'ready' });
  });

  it('is complete where a projection is paused, or rebuilt, and nothing has happened since', async () => {
    expect(await readinessIn({ status: { isPaused: true, version: 2 } })).to.deep.equal({ status: 'ready' });
  });

  it('is reduced, with the reason, where the read models cannot be read', async () => {
    expect(await readinessIn({ unreadable: 'MongoDB does not answer' })).to.deep.equal({
      status: 'degraded',
      reason: 'the read models cannot be read: MongoDB does not answer',
      projections: [],
    });
  });

  describe('names a projection with its lag', () => {
    const behind = async (situation: Situation) => {
      const readiness = await readinessIn(situation);
      if (readiness.status !== 'degraded') throw new Error(`It is ${readiness.status}`);
      expect(readiness.projections.map(({ projection }) => projection)).to.deep.equal(['lists']);
      return readiness.projections[0];
    };

    it('and says that it is stuck', async () => {
      expect(await behind({ lag: stuckLag })).to.deep.equal({
        projection: 'lists',
        lagEvents: 7,
        lagSeconds: 61.3,
        reason: 'it is stuck: it has not moved for 61 s',
      });
    });

    it('and says that it is catching up', async () => {
      expect(await behind({ lag: { ...stuckLag, stillSeconds: 1 } })).to.include({
        lagEvents: 7,
        reason: 'it is catching up',
      });
    });

    it('at once when it fails, and does not tell the text of the failure', async () => {
      const lag = { events: 1, seconds: 0.1, lateSeconds: 0.1, stillSeconds: 0.1 };
      const lastError = 'Event A at position 1 cannot be read:\n  its version 2 is newer';
      expect(await behind({ lag, status: { lastError } })).to.deep.equal({
        projection: 'lists',
        lagEvents: 1,
        lagSeconds: 0.1,
        reason: 'it failed and tries again',
      });
    });

    it('and says which server it waits for', async () => {
      expect(await behind({ lag: stuckLag, waitsFor: 'MongoDB does not answer' })).to.include({
        reason: 'MongoDB does not answer',
      });
    });

    it('and says that no process keeps it', async () => {
      const lease = { holder: null, since: null };
      expect(await behind({ lag: stuckLag, status: { lease } })).to.include({ reason: 'no process keeps it' });
    });

    it('and says that it is not known how far it is behind while the event log cannot be read', async () => {
      const lag = { events: NaN, seconds: NaN, lateSeconds: NaN, stillSeconds: NaN };
      expect(await behind({ lag })).to.deep.equal({
        projection: 'lists',
        lagEvents: null,
        lagSeconds: null,
        reason: 'the event log cannot be read',
      });
    });

    it('at once when it is paused', async () => {
      const lag = { events: 1, seconds: 0.1, lateSeconds: 0.1, stillSeconds: 0.1 };
      expect(await behind({ lag, status: { isPaused: true } })).to.include({ lagEvents: 1, reason: 'it is paused' });
    });

    it('and says that it is being rebuilt as the version of the code', async () => {
      const lag = { events: 4, seconds: 2, lateSeconds: 2, stillSeconds: 2 };
      expect(await behind({ lag, status: { version: 2 } })).to.include({
        lagEvents: 4,
        reason: 'it is being rebuilt as version 3',
      });
    });

    it('or without one, where streams are parked', async () => {
      expect(await behind({ status: { parked: parked.slice(1) } })).to.deep.equal({
        projection: 'lists',
        lagEvents: 0,
        lagSeconds: 0,
        reason: '1 stream is parked at an event that cannot be applied',
      });
    });

    it('and gives both reasons where it is behind and streams are parked', async () => {
      expect(await behind({ lag: stuckLag, status: { isPaused: true, parked } })).to.include({
        reason: 'it is paused; 2 streams are parked at events that cannot be applied',
      });
    });
  });

  it('is none while the read models are built, and tells what is left', async () => {
    const lag = { events: 5_000, seconds: 86_400, lateSeconds: 1, stillSeconds: 0 };
    expect(await readinessIn({ isCaughtUp: false, lag })).to.deep.equal({
      status: 'not ready',
      reason: 'the read models are being built',
      projections: [{ projection: 'lists', lagEvents: 5_000, lagSeconds: 86_400, reason: 'it is being built' }],
    });
  });

  it('names the damage of the event log that keeps the read models from being built', async () => {
    const damage = 'the file of the log is damaged at position 0000000000000100';
    expect(await readinessIn({ isCaughtUp: false, damage })).to.include({ status: 'not ready', reason: damage });
  });

  it('is none while a thread hangs', async () => {
    expect(await readinessIn({ hung: 'the thread of the projector does not answer' })).to.deep.equal({
      status: 'not ready',
      reason: 'the thread of the projector does not answer',
      projections: [],
    });
  });

  it('is none while a server is waited for at the start', async () => {
    expect(await readinessIn({ isCaughtUp: false, waitsFor: 'EventStoreDB does not answer' })).to.deep.include({
      status: 'not ready',
      reason: 'EventStoreDB does not answer',
    });
  });

  it('is none while nothing can be stored, though all can be read', async () => {
    expect(await readinessIn({ unwritable: 'EventStoreDB does not answer' })).to.deep.equal({
      status: 'not ready',
      reason: 'nothing can be stored: EventStoreDB does not answer',
      projections: [],
    });
  });

  it('is none while the service stops', async () => {
    expect(await readinessIn({ isStopping: true, lag: stuckLag })).to.deep.equal({
      status: 'not ready',
      reason: 'stopping',
      projections: [],
    });
  });
});
