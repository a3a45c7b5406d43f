import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createThreadMonitor, type ThreadMonitor } from '../../src/monitoring/thread-monitor.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { openMonitoredEventLog } from '../../src/monitoring/monitored-event-log.ts';
import { claimContract } from '../contract/event-store-claims.ts';
import { eventually } from '../support/eventually.ts';
import { threadsHere } from '../support/threads-here.ts';

describe('The log as the service uses it', () => {
  let directory: string;
  let log: Awaited<ReturnType<typeof openMonitoredEventLog>>;
  let threads: ThreadMonitor;
  const writers: ReturnType<typeof threadsHere.writer>[] = [];
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-watched-'));
    const [metrics, logger] = [createMetrics(), pino({ enabled: false })];
    threads = createThreadMonitor(metrics, logger);
    log = await openMonitoredEventLog({
      settings: { kind: 'sqlite', path: join(directory, 'events.db') },
      metrics,
      threads,
      logger,
      clock: () => new Date('2026-03-01T09:30:00.000Z'),
      startWriter(options) {
        const writer = threadsHere.writer(options);
        writers.push(writer);
        return writer;
      },
    });
  });
  after(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });

  claimContract(() => log.eventStore);

  it('tells that its writer has ended, until what another one writes is stored', async () => {
    expect(threads.isAnswering('writer')).to.equal(true);
    writers[0]?.close();
    await eventually('it is told', () => !threads.isAnswering('writer'));
    await eventually('another one writes', () => threads.isAnswering('writer'));
    expect(writers).to.have.length(2);
    expect(log.writes.reason()).to.equal(undefined);
  });
});
