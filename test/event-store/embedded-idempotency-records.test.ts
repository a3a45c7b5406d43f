import { expect } from 'chai';
import { NO_STREAM } from '../../src/event-store/port.ts';
import { appended, newEvents, newIdempotencyRecord, newStream } from '../contract/new-events.ts';
import { newEmbeddedLog, type LogStore } from '../support/log-stores.ts';

const LONG_AGO = '2000-01-01T00:00:00.000Z';

describe('What a file keeps of Idempotency-Keys', () => {
  let log: LogStore;
  beforeEach(async () => {
    log = await newEmbeddedLog();
  });
  afterEach(() => log.remove());

  /** Stores an idempotency record that is valid for 24 hours from a time on; gives its key. */
  const storedAt = async (time: string): Promise<string> => {
    const expiresAt = new Date(Date.parse(time) + 24 * 3_600_000).toISOString();
    const idempotencyRecord = newIdempotencyRecord({ storedAt: time, expiresAt });
    const append = { stream: newStream(), expectedRevision: NO_STREAM, events: newEvents(1), idempotencyRecord };
    await appended(log.store, append);
    return idempotencyRecord.key;
  };
  const kept = async () => (await log.store.idempotencyRecords(LONG_AGO)).map(({ key }) => key);

  it('is removed a day after it has expired, by the clocks of two requests', async () => {
    await storedAt('2026-03-01T09:30:00.000Z');
    const later = [await storedAt('2026-03-03T09:30:00.000Z'), await storedAt('2026-03-03T09:30:00.000Z')];
    expect(await kept()).to.have.members(later);
  });

  it('is kept until then', async () => {
    const all = [
      await storedAt('2026-03-01T09:30:00.000Z'),
      await storedAt('2026-03-03T09:29:59.999Z'),
      await storedAt('2026-03-03T09:29:59.999Z'),
    ];
    expect(await kept()).to.have.members(all);
  });
});
