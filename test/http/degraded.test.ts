import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { savedPostings } from '../../projections/saved-postings.ts';
import type { AppOptions } from '../../src/app/options.ts';
import { createLogger } from '../../src/monitoring/logger.ts';
import { eventually } from '../support/eventually.ts';
import { bodies, ids, metadata } from '../support/examples.ts';
import { writeForeign } from '../support/foreign-events.ts';
import { servers } from '../support/servers.ts';
import { expectError, rowsAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { putFacts, putOffice, putSpecialty, save } from './stories.ts';

const isOnServers = servers.eventStore !== undefined && servers.mongo !== undefined;

/** The lag of a projection in events, and its failures, by /metrics. */
const told = async ({ url }: CheckedService, projection: string) => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const valueOf = (name: string) =>
    Number(new RegExp(`^${name}\\{projection="${projection}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  return { lag: valueOf('projection_lag_events'), errors: valueOf('projection_errors') };
};

describe('A service that is degraded', () => {
  let service: CheckedService;
  let lines: string[];
  const ready = () => service.send('GET', '/health/ready', { key: null });

  const start = async (more: Partial<AppOptions> = {}) => {
    lines = [];
    const destination = { write: (line: string) => void lines.push(line) };
    service = await startCheckedService({ logger: createLogger({ level: 'info', destination }), ...more });
    await putFacts(service);
  };
  afterEach(() => service.stop());

  /** Appends an event of a newer release. */
  const writeNewer = async (stream: string) => {
    const id = '01939d0a-0000-7000-8000-000000000000';
    const event = { id, type: 'OfficeRecorded', version: 2, data: {}, metadata };
    await service.app.eventStore.append({ stream, expectedRevision: -1, events: [event] });
  };

  for (const [what, write] of [
    ['of a newer version than its code', writeNewer],
    [
      'that something else has written',
      (stream: string) => writeForeign(service.stores.eventStore, stream, 'OfficeRecorded'),
    ],
  ] as const) {
    it(`by an event ${what} goes on without its stream, and names where it waits`, async () => {
      // Given such an event, and one after it
      await start();
      await write('office-strange');
      await putOffice(service, ids.otherOffice);

      // When projections reach it
      await eventually('it is degraded', async () => {
        const { body } = await ready();
        return JSON.stringify(body).includes('degraded') && rowsAt(body, 'projections').length === 2;
      });

      // Then the service is ready all the same, and names the projections that cannot apply the event
      const { status, body } = await ready();
      expect(status).to.equal(200);
      expect(body).to.include({ status: 'degraded' });
      const behind = rowsAt(body, 'projections');
      expect(behind.map(({ projection }) => projection)).to.have.members(['professional-candidates', 'saved-postings']);
      for (const { reason } of behind) expect(reason).to.equal('1 stream is parked at an event that cannot be applied');
      expect((await service.send('GET', '/health/live', { key: null })).status).to.equal(200);

      // And projections go on with all other streams
      await putSpecialty(service);
      await eventually('the others have no lag', async () => (await told(service, 'specialties')).lag === 0);
      await eventually('so has its own', async () => (await told(service, 'saved-postings')).lag === 0);
      expect((await told(service, 'saved-postings')).errors).to.be.at.least(1);

      // And a command on its stream is a 500
      expectError(
        await service.send('PUT', '/internal/offices/strange', { body: { officeName: 'Strange' } }),
        500,
        /^Internal error$/,
      );
    });
  }

  // A thread stands still for 5 s until it gives a locked file up. Were it the one that answers, it would close a
  // connection as idle whose next request has arrived meanwhile.
  const threads = undefined;

  (isOnServers ? it.skip : it)('by a log that cannot be written refuses writes, and says so', async () => {
    // Given another connection that locks the event log
    await start({ threads });
    const holder = new Database(join(service.directory, 'events.db'), { timeout: 5_000 });
    holder.exec('BEGIN IMMEDIATE');
    const write = () =>
      service.send('PUT', `/internal/offices/${ids.otherOffice}`, {
        headers: { 'Idempotency-Key': 'once' },
        body: bodies.office,
      });
    try {
      // When the service cannot write, then it tells the client to retry
      expectError(await write(), 503, /^Nothing can be stored now\. .* the same Idempotency-Key$/);
      const { status, body } = await ready();
      expect(status).to.equal(503);
      expect(body).to.deep.equal({
        error: 'Not ready: nothing can be stored: the event log cannot be written: database is locked',
      });

      // And reads go on
      expect((await service.send('GET', '/postings/saved', { as: 'professional' })).status).to.equal(200);
    } finally {
      holder.exec('ROLLBACK');
      holder.close();
    }

    // And once the event log can be written again, the service is ready before the next command
    await eventually('it is ready', async () => (await ready()).status === 200);
    expect((await write()).status).to.equal(204);

    // And the application log has told of both
    const told = lines.filter((line) => /"msg":".*(?:stored|tried until it works)/.test(line));
    expect(told.map((line) => line.replace(/.*"msg":"(.*)"\}\n$/, '$1'))).to.deep.equal([
      'Nothing can be stored; it is tried until it works',
      'What commands decide is stored again',
    ]);
  });

  (isOnServers ? it.skip : it)('by read models that cannot be written shows a lag that grows', async () => {
    // Given another connection that locks the read models, once the projector has released them
    await start({ threads });
    await eventually('no event is left', async () => (await told(service, 'saved-postings')).lag === 0);
    const holder = new Database(join(service.directory, `read-models.db.saved-postings@${savedPostings.version}.1`), {
      timeout: 5_000,
    });
    holder.exec('BEGIN IMMEDIATE');
    try {
      // When events are appended
      await save(service);
      const one = await told(service, 'saved-postings');
      await putOffice(service, ids.otherOffice);
      const two = await told(service, 'saved-postings');

      // Then the lag grows with them
      expect(one.lag).to.be.at.least(1);
      expect(two.lag).to.be.above(one.lag);

      // And after a while the readiness report says so
      await eventually('it is degraded', async () => JSON.stringify((await ready()).body).includes('degraded'));
      const { status, body } = await ready();
      expect(status).to.equal(200);
      expect(body).to.include({ status: 'degraded' });
      for (const { lagEvents, reason } of rowsAt(body, 'projections')) {
        expect(lagEvents).to.be.at.least(1);
        expect(reason).to.match(/^it is stuck: it has not moved for \d+ s$|^it failed and tries again$/);
      }
    } finally {
      holder.exec('ROLLBACK');
      holder.close();
    }

    // And once they can be written again, the service recovers
    await eventually('it is ready', async () => {
      const { body } = await ready();
      return JSON.stringify(body) === '{"status":"ready"}';
    });
    expect((await told(service, 'saved-postings')).lag).to.equal(0);
  });
});
