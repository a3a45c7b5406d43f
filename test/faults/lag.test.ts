import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { projections } from '../../projections/index.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { NO_STREAM, type EventStore } from '../../src/event-store/port.ts';
import { startLagMonitor, type LagMonitor } from '../../src/monitoring/lag-monitor.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { hiring } from '../../src/hiring/index.ts';
import { hostProjector, type HostedProjector } from '../../src/projector-threads/host.ts';
import { createReadinessCheck } from '../../src/monitoring/readiness.ts';
import { appended } from '../contract/new-events.ts';
import { eventually } from '../support/eventually.ts';
import { ownServer, withOwnServers, type OwnServer } from '../support/own-servers.ts';
import { newDatabase } from '../support/servers.ts';
import { createClock } from '../support/service.ts';
import { metadata } from '../support/examples.ts';
import { closing } from '../support/projector-stage.ts';

const NAME = 'A projector whose MongoDB server goes away';

withOwnServers(NAME, ['mongo'], () => {
  describe(NAME, function () {
    this.timeout(120_000);
    let directory: string;
    let server: OwnServer;
    let log: EventStore;
    let projector: HostedProjector;
    let lags: LagMonitor;
    const clock = createClock(metadata.recordedAt);
    const metrics = createMetrics();

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'hiring-lag-'));
      const file = join(directory, 'events.db');
      server = await ownServer('mongo');
      await server.start();
      log = await openEmbeddedEventStore(file);
      projector = await hostProjector({
        stores: {
          eventStore: { kind: 'sqlite', path: file },
          readModels: { kind: 'mongodb', url: newDatabase(server.url).url },
        },
        servesRequests: true,
        startThread: hiring.startProjector,
        projections,
        onError: () => undefined,
        onDropped: () => undefined,
        onWarning: () => undefined,
        onEnded: () => undefined,
        onHung: () => undefined,
        onParked: () => undefined,
        onBuild: () => undefined,
      });
      lags = startLagMonitor({
        eventStore: log,
        status: () => projector.status(),
        clock: clock.now,
        elapsed: () => clock.now().getTime(),
      });
      metrics.watchProjections(projector, lags);
    });
    after(async () => {
      await lags.stop();
      await projector.stop();
      await log.close();
      await server.remove();
      await rm(directory, { recursive: true });
    });

    const close = async (postingId: string) => {
      const stream = `posting-${postingId}`;
      const append = { stream, expectedRevision: NO_STREAM, events: [closing(postingId)] };
      projector.appended(await appended(log, append));
    };
    const readiness = () =>
      createReadinessCheck({
        projections,
        projector,
        lags,
        reads: { reason: () => undefined },
        writes: { reason: () => undefined },
        threads: { reason: () => undefined },
        damage: () => undefined,
        isStopping: () => false,
      })();
    const isReady = async () => (await readiness()).status === 'ready';
    const told = async (name: string) => {
      const lines = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
      return lines.map((line) => Number(line.split(' ').at(-1)));
    };

    it('has a lag that grows, stays ready, says why, and has none when the server is back', async () => {
      // Given a projector that has applied all events
      await eventually('it is ready', isReady);
      await close('a');
      await eventually('there is no lag', async () => (await told('projection_lag_events')).every((lag) => lag === 0));
      expect(await told('projection_lease_held')).to.deep.equal(projections.map(() => 1));

      // When the server goes away, and events are appended
      await server.kill();
      await close('b');
      expect(await told('projection_lag_events')).to.deep.equal(projections.map(() => 1));
      await close('c');
      expect(await told('projection_lag_events')).to.deep.equal(projections.map(() => 2));

      // Then the service says that it is degraded, and why
      await eventually('it knows', () => projector.waitsFor() !== undefined);
      clock.advance(1);
      const degraded = await readiness();
      if (degraded.status !== 'degraded') throw new Error(`It is ${degraded.status}`);
      expect(degraded.projections.map(({ projection }) => projection)).to.deep.equal(
        projections.map(({ name }) => name),
      );
      for (const { lagEvents, reason } of degraded.projections) {
        expect(lagEvents).to.equal(2);
        expect(reason).to.match(/MongoDB does not answer|^it failed and tries again$/);
      }
      await eventually('each has failed', async () => Math.min(...(await told('projection_errors'))) >= 1, 60_000);

      // And once the server is back, the service has recovered
      await server.start();
      await eventually('it is ready', isReady, 60_000);
      expect(await told('projection_lag_events')).to.deep.equal(projections.map(() => 0));
    });
  });
});
