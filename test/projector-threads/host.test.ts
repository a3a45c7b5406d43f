import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { NO_STREAM } from '../../src/event-store/port.ts';
import { startLagMonitor } from '../../src/monitoring/lag-monitor.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { hiring } from '../../src/hiring/index.ts';
import { hostProjector, type HostedProjector } from '../../src/projector-threads/host.ts';
import { appended, newEvent, newStream } from '../contract/new-events.ts';
import { eventually } from '../support/eventually.ts';
import { openLogHere } from '../support/threads-here.ts';

describe("A projector's thread that ends by itself", () => {
  let directory: string;
  let projector: HostedProjector | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-host-'));
  });
  afterEach(async () => {
    await projector?.stop();
    await rm(directory, { recursive: true });
  });

  // MongoDB is given 4 s to answer.
  it('is told of as an error and counted, its lag grows, and it is started again', async () => {
    // Given a projector that cannot open the event log, and an event log that other processes append to
    const place = join(directory, 'later');
    let ends = 0;
    let reason = '';
    const host = await hostProjector({
      stores: {
        eventStore: { kind: 'sqlite', path: join(place, 'events.db') },
        readModels: { kind: 'mongodb', url: 'mongodb://127.0.0.1:1/none' },
      },
      servesRequests: true,
      startThread: hiring.startProjector,
      projections: [{ name: 'lists', version: 1 }],
      onError: () => undefined,
      onDropped: () => undefined,
      onWarning: () => undefined,
      onEnded: ({ message }) => {
        ends++;
        reason = message;
      },
      onHung: () => undefined,
      onParked: () => undefined,
      onBuild: () => undefined,
    });
    projector = host;
    const log = await openLogHere(join(directory, 'events.db'));
    const watch = startLagMonitor({ eventStore: log, status: () => host.status(), clock: systemClock });
    try {
      const lagAfterAnother = async () => {
        await appended(log, { stream: newStream(), expectedRevision: NO_STREAM, events: [newEvent()] });
        return (await watch.look()).get('lists')?.events;
      };

      // When its thread ends, and the next one does too
      await eventually('it has ended twice', () => ends >= 2);

      // Then its status says so, and its lag grows with the event log
      const [lists] = host.status();
      expect(lists?.errors).to.be.at.least(2);
      expect(reason).to.match(/unable to open/i);
      expect(lists?.lastError).to.match(/^the projector's thread has ended: .*unable to open/i);
      expect(host.isCaughtUp()).to.equal(false);
      expect([await lagAfterAnother(), await lagAfterAnother()]).to.deep.equal([1, 2]);

      // And the next thread opens the event log, and waits for MongoDB
      await mkdir(place);
      await (await openLogHere(join(place, 'events.db'))).close();
      await eventually('it waits', () => host.waitsFor() === 'MongoDB does not answer');
    } finally {
      await watch.stop();
      await log.close();
    }
  });
});
