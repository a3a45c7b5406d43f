import { expect } from 'chai';
import { START_POSITION, type EventLog, type LogEventCounter } from '../../src/event-store/port.ts';
import { startLagMonitor, type LagMonitor, type LagMonitorOptions } from '../../src/monitoring/lag-monitor.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { closings, LONG_MS, newStage, type Stage } from '../support/projector-stage.ts';
import { createClock } from '../support/service.ts';
import { metadata } from '../support/examples.ts';

describe('The watch over lag', () => {
  let stage: Stage;
  let clock: ReturnType<typeof createClock>;
  /** By how far the clock was set, in milliseconds. */
  let setBy: number;
  let watches: LagMonitor[];
  beforeEach(() => {
    stage = newStage();
    clock = createClock(metadata.recordedAt);
    setBy = 0;
    watches = [];
  });
  afterEach(async () => {
    await stage.end();
    for (const watch of watches) await watch.stop();
  });

  const watchOver = (
    projector: { readonly status: LagMonitorOptions['status'] },
    eventStore: Pick<EventLog, 'head' | 'readAll'> & Pick<LogEventCounter, 'countAfter'> = stage.eventStore,
    withinMs = LONG_MS,
  ) => {
    const elapsed = () => clock.now().getTime();
    const { status } = projector;
    const watch = startLagMonitor({ eventStore, status, clock: () => new Date(elapsed() + setBy), elapsed, withinMs });
    watches.push(watch);
    return watch;
  };

  /** A projection that hangs at the second posting without an error. */
  const givenStuck = async () => {
    const { open, opened } = stage.gate();
    const stuck = closings('stuck', (postingId) => (postingId === 'b' ? opened : undefined));
    const projector = await stage.start([stuck.projection], { batchSize: 1 });
    await projector.reached(['stuck'], await stage.close('a'), LONG_MS);
    return { open, projector };
  };

  it('finds none where all is applied', async () => {
    const { projector } = await givenStuck();
    const none = { events: 0, seconds: 0, lateSeconds: 0, stillSeconds: 0 };
    expect([...(await watchOver(projector).look())]).to.deep.equal([['stuck', none]]);
  });

  it('sees the lag of a stuck projection grow while events are appended, and shrink when it goes on', async () => {
    // Given a stuck projection without errors
    const { open, projector } = await givenStuck();
    const watch = watchOver(projector);
    const { registry, watchProjections } = createMetrics();
    watchProjections(projector, watch);
    const told = async () => {
      const text = await registry.metrics();
      const valueOf = (name: string) =>
        Number(new RegExp(`^${name}\\{projection="stuck"\\} (\\S+)$`, 'm').exec(text)?.[1]);
      return {
        events: valueOf('projection_lag_events'),
        seconds: valueOf('projection_lag_seconds'),
        errors: valueOf('projection_errors'),
      };
    };
    expect(await told()).to.deep.equal({ events: 0, seconds: 0, errors: 0 });

    // When events are appended and time passes, then its lag grows
    await stage.close('b');
    clock.advance(1);
    expect(await told()).to.deep.equal({ events: 1, seconds: 60, errors: 0 });
    await stage.close('c', 'd');
    clock.advance(1);
    expect(await told()).to.deep.equal({ events: 3, seconds: 120, errors: 0 });

    // And when the projection goes on, it has no lag
    open();
    await projector.reached(['stuck'], await stage.eventStore.head(), LONG_MS);
    expect(await told()).to.deep.equal({ events: 0, seconds: 0, errors: 0 });
  });

  it('sees the lag of a projector grow that was stopped', async () => {
    const { projector } = await givenStuck();
    await projector.stop();
    const watch = watchOver(projector);
    await stage.close('x', 'y');
    expect((await watch.look()).get('stuck')?.events).to.equal(2);
    await stage.close('z');
    expect((await watch.look()).get('stuck')?.events).to.equal(3);
  });

  it('tells for how long a projection is late, and has not moved, by its own clock', async () => {
    const { projector } = await givenStuck();
    const watch = watchOver(projector);
    await stage.close('b');
    await watch.look();
    clock.advance(1);
    await stage.close('c');
    expect((await watch.look()).get('stuck')).to.include({ lateSeconds: 60, stillSeconds: 60 });
  });

  for (const days of [-1, 1])
    it(`tells so however the clock was set meanwhile, such as by ${days} days`, async () => {
      const { projector } = await givenStuck();
      const watch = watchOver(projector);
      await stage.close('b');
      await watch.look();
      clock.advance(1);
      setBy = days * 24 * 3_600_000;
      expect((await watch.look()).get('stuck')).to.include({ lateSeconds: 60, stillSeconds: 60 });
    });

  it('does not take one for late that is a moment behind with events of long ago', async () => {
    const { projector } = await givenStuck();
    const watch = watchOver(projector);
    clock.advance(1_000_000);
    await stage.close('b');
    expect((await watch.look()).get('stuck')).to.include({ lateSeconds: 0, stillSeconds: 0 });
  });

  it('tells one that is late but moves from one that does not move', async () => {
    // Given a projection that has applied none of three events
    const [first] = [await stage.close('a'), await stage.close('b', 'c')];
    let position = START_POSITION;
    const watch = watchOver({ status: () => [{ name: 'slow', position }] });
    const lagAMinuteLater = async () => {
      clock.advance(1);
      return (await watch.look()).get('slow');
    };
    await watch.look();

    // When it applies one in a minute, then it counts as moving
    position = first;
    expect(await lagAMinuteLater()).to.include({ events: 2, lateSeconds: 60, stillSeconds: 0 });

    // When it stays there for another minute, then it does not
    expect(await lagAMinuteLater()).to.include({ events: 2, lateSeconds: 120, stillSeconds: 60 });
  });

  describe('when the log cannot be read', () => {
    const failing = (): Pick<EventLog, 'head' | 'readAll'> & Pick<LogEventCounter, 'countAfter'> => ({
      ...stage.eventStore,
      head: () => Promise.reject(new Error('no connection')),
    });

    it('says that it does not know, and not that there is no lag', async () => {
      const { projector } = await givenStuck();
      const watch = watchOver(projector, failing());
      const { registry, watchProjections } = createMetrics();
      watchProjections(projector, watch);
      expect((await watch.look()).get('stuck')?.events).to.be.NaN;
      expect(await registry.metrics()).to.match(/^projection_lag_events\{projection="stuck"\} nan$/im);
    });

    it('answers all the same when the log never does', async () => {
      const { projector } = await givenStuck();
      const silent = { ...stage.eventStore, head: () => new Promise<string>(() => undefined) };
      const watch = watchOver(projector, silent, 10);
      expect((await watch.look()).get('stuck')?.events).to.be.NaN;
    });

    it('gives at a glance what it knew before', async () => {
      const { projector } = await givenStuck();
      let isSilent = false;
      const moody = {
        ...stage.eventStore,
        head: () => (isSilent ? new Promise<string>(() => undefined) : stage.eventStore.head()),
      };
      const watch = watchOver(projector, moody, 1_000);
      await watch.look();
      isSilent = true;
      expect((await watch.glance()).get('stuck')?.events).to.equal(0);
    });
  });

  it('does not know the age of an event that does not tell when it was recorded', async () => {
    const { projector } = await givenStuck();
    await projector.stop();
    const event = { id: 'x', type: 'PostingClosed', version: 1, data: { postingId: 'x' }, metadata: {} };
    await stage.eventStore.append({ stream: 'posting-x', expectedRevision: -1, events: [event] });
    const lag = (await watchOver(projector).look()).get('stuck');
    expect(lag).to.include({ events: 1 });
    expect(lag?.seconds).to.be.NaN;
  });

  it('asks the log once for all that ask at the same time, and stand at the same place', async () => {
    const { projector } = await givenStuck();
    await projector.stop();
    await stage.close('x');
    const asked: string[] = [];
    const watch = watchOver(projector, {
      head: () => {
        asked.push('head');
        return stage.eventStore.head();
      },
      countAfter: (position) => {
        asked.push('count');
        return stage.eventStore.countAfter(position);
      },
      readAll: (...args) => {
        asked.push('read');
        return stage.eventStore.readAll(...args);
      },
    });
    await Promise.all([watch.look(), watch.look(), watch.glance()]);
    expect(asked).to.deep.equal(['head', 'count', 'read']);
  });
});
