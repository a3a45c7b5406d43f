import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { openWatchedLog } from '../../src/monitoring/watched-log.ts';
import { claimContract } from '../contract/event-store-claims.ts';

describe('The log as the service uses it', () => {
  let directory: string;
  let log: Awaited<ReturnType<typeof openWatchedLog>>;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-watched-'));
    log = await openWatchedLog({
      settings: { kind: 'sqlite', path: join(directory, 'events.db') },
      metrics: createMetrics(),
      logger: pino({ enabled: false }),
      clock: () => new Date('2026-03-01T09:30:00.000Z'),
    });
  });
  after(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });

  claimContract(() => log.eventStore);
});
