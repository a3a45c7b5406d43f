import { expect } from 'chai';
import { daysBefore } from '../../src/audit/acts.ts';
import { createAudit } from '../../src/audit/audited.ts';
import { findLastBackup, createLastBackupFinder } from '../../src/audit/last-backup.ts';
import { randomIdAndCodeGenerator } from '../../src/ports/id-and-code-generator.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { createClock } from '../support/service.ts';

const DAY = 24 * 60;

describe('The last backup', () => {
  let log: ReturnType<typeof openMemoryEventStore>;
  let clock: ReturnType<typeof createClock>;
  const backUp = (actor: string, minutes = 1) =>
    createAudit(log, { clock: clock.now, ids: randomIdAndCodeGenerator })({ actor })(
      { operation: 'backup', parameters: { to: '/backups/one.db' } },
      () => {
        clock.advance(minutes);
        return Promise.resolve();
      },
    );
  beforeEach(() => {
    log = openMemoryEventStore();
    clock = createClock('2026-02-27T09:00:00.000Z');
  });

  it('is the last one since a time that was completed', async () => {
    const find = async (days: number) => (await findLastBackup(log, daysBefore(clock.now(), days), clock.now()))?.actor;
    expect(await find(90)).to.equal(undefined);
    await backUp('os:ada');
    await createAudit(log, { clock: clock.now, ids: randomIdAndCodeGenerator })({ actor: 'os:bob' })(
      { operation: 'backup', parameters: {} },
      () => Promise.reject(new Error('no space')),
    ).catch(() => undefined);
    expect(await find(90)).to.equal('os:ada');
    clock.advance(3 * DAY);
    expect(await find(2)).to.equal(undefined);
  });

  it('is known again without its day being read again, and replaced by a newer one', async () => {
    const read: string[] = [];
    const last = createLastBackupFinder({
      readAll: (after, limit) => log.readAll(after, limit),
      readStream(stream) {
        read.push(stream);
        return log.readStream(stream);
      },
    });
    const actor = async () => (await last(clock.now()))?.actor;
    await backUp('os:ada');
    expect(await actor()).to.equal('os:ada');
    clock.advance(30 * DAY);
    await actor();
    read.length = 0;
    expect(await actor()).to.equal('os:ada');
    expect(read).to.have.length.below(6);
    // One that was under way at the last look.
    const underWay = backUp('os:bob', 12 * 60);
    await actor();
    await underWay;
    expect(await actor()).to.equal('os:bob');
  });
});
