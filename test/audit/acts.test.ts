import { expect } from 'chai';
import { readActs } from '../../src/audit/acts.ts';
import { createAudit } from '../../src/audit/audited.ts';
import { conflict } from '../../src/errors/domain-error.ts';
import { NO_STREAM } from '../../src/event-store/port.ts';
import { randomIdAndCodeGenerator } from '../../src/ports/id-and-code-generator.ts';
import { newEvent } from '../contract/new-events.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { createClock } from '../support/service.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const DAY = 24 * 60;

describe('The list of acts', () => {
  const log = openMemoryEventStore();
  const clock = createClock('2026-02-27T09:00:00.000Z');
  const audit = createAudit(log, { clock: clock.now, ids: randomIdAndCodeGenerator });
  const list = (asked: { since?: string; actor?: string } = {}) => readActs(log, { ...asked, now: clock.now() });
  const operations = async (...asked: Parameters<typeof list>) =>
    (await list(...asked)).map(({ operation }) => operation);

  before('ada pauses, bob fails to resume two days later, and ada resumes the day after', async () => {
    const parameters = { projections: ['lists'] };
    const ada = audit({ actor: 'user-ada', requestId: 'request-1' });
    const minutes = (count: number) => () => {
      clock.advance(count);
      return Promise.resolve();
    };
    await ada({ operation: 'pause', parameters }, minutes(1), () => 'it is paused');
    clock.advance(2 * DAY);
    await audit({ actor: 'os:bob' })({ operation: 'retry', parameters }, () =>
      Promise.reject(conflict('lists is paused')),
    ).catch(() => undefined);
    clock.advance(DAY);
    await ada({ operation: 'resume', parameters }, minutes(1));
  });

  it('has each act once with its actor, oldest first', async () => {
    const acts = await list();
    expect(acts.map(({ id: _, ...act }) => act)[0]).to.deep.equal({
      requestedAt: '2026-02-27T09:00:00.000Z',
      actor: 'user-ada',
      operation: 'pause',
      parameters: { projections: ['lists'] },
      phase: 'completed',
      endedAt: '2026-02-27T09:01:00.000Z',
      detail: 'it is paused',
      requestId: 'request-1',
    });
    expect(acts.map(({ actor, phase }) => `${actor} ${phase}`)).to.deep.equal([
      'user-ada completed',
      'os:bob failed',
      'user-ada completed',
    ]);
    expect(acts[1]).to.include({ detail: 'lists is paused' });
  });

  it('is of the acts since a time', async () => {
    expect(await operations({ since: '2026-02-27T09:00:00.000Z' })).to.deep.equal(['pause', 'retry', 'resume']);
    expect(await operations({ since: '2026-02-27T09:00:00.001Z' })).to.deep.equal(['retry', 'resume']);
    expect(await operations({ since: '2026-03-02T00:00:00.000Z' })).to.deep.equal(['resume']);
    expect(await operations({ since: '2026-03-09T00:00:00.000Z' })).to.deep.equal([]);
  });

  it('is of the acts of one actor', async () => {
    expect(await operations({ actor: 'user-ada' })).to.deep.equal(['pause', 'resume']);
    expect(await operations({ actor: 'os:bob' })).to.deep.equal(['retry']);
    expect(await operations({ actor: 'bob' })).to.deep.equal([]);
  });

  it('has an act that has not ended', async () => {
    const other = openMemoryEventStore();
    const audited = createAudit(other, { clock: clock.now, ids: randomIdAndCodeGenerator })({ actor: 'user-eve' });
    await audited({ operation: 'cancel', parameters: {} }, async () => {
      const [act] = await readActs(other, { now: clock.now() });
      expect(act).to.include({ phase: 'requested', endedAt: null, detail: null });
    });
  });

  it('is empty for an empty event log', async () => {
    expect(await readActs(openMemoryEventStore(), { now: clock.now() })).to.deep.equal([]);
  });

  it('fails at an event that this code cannot read', async () => {
    const other = openMemoryEventStore();
    const recordedAt = clock.now().toISOString();
    const event = { ...newEvent(), type: 'OperatorActed', version: 99, metadata: { recordedAt } };
    await other.append({ stream: `audit-${recordedAt.slice(0, 10)}`, expectedRevision: NO_STREAM, events: [event] });
    const failure = await rejectionOf(readActs(other, { now: clock.now() }));
    expect(String(failure)).to.include("its version 99 is newer than this code's 1");
  });
});
