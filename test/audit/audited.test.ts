import { expect } from 'chai';
import { createAudit, ActNotRecordedError, type AuditedAct } from '../../src/audit/audited.ts';
import { conflict } from '../../src/errors/domain-error.ts';
import { LogUnavailableError, START_POSITION, type EventLog } from '../../src/event-store/port.ts';
import { randomIdAndCodeGenerator } from '../../src/ports/id-and-code-generator.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { refusalOf, rejectionOf } from '../support/refusal-of.ts';
import { createClock } from '../support/service.ts';

const pause: AuditedAct = { operation: 'pause', parameters: { projections: ['lists'] } };
const unavailable = () => Promise.reject(new LogUnavailableError('the event log cannot be written'));

/** An event log, acts of Ada recorded in it, and what its events tell. */
const given = (change: Partial<EventLog> = {}) => {
  const log = { ...openMemoryEventStore(), ...change };
  const clock = createClock('2026-03-02T23:59:00.000Z');
  const audit = createAudit(log, { clock: clock.now, ids: randomIdAndCodeGenerator });
  const audited = audit({ actor: 'user-ada', requestId: 'request-1' });
  const told = async () =>
    (await log.readAll(START_POSITION, 100)).map(({ stream, data, metadata }) => ({
      stream,
      phase: data['phase'],
      detail: data['detail'],
      actor: metadata['actor'],
    }));
  return { log, clock, audit, audited, told };
};

/** Appends that fail from the nth on. */
const failingFrom = (nth: number): Partial<EventLog> => {
  const log = openMemoryEventStore();
  let count = 0;
  return { append: (asked) => (++count < nth ? log.append(asked) : unavailable()) };
};

describe('An act that is recorded', () => {
  const ofAda = { stream: 'audit-2026-03-02', actor: 'user-ada' };

  it('is recorded as requested before it is done, and as completed afterwards', async () => {
    const { audited, told } = given();
    const done = await audited(
      pause,
      async () => {
        expect(await told()).to.deep.equal([{ ...ofAda, phase: 'requested', detail: null }]);
        return 'done';
      },
      (result) => `it is ${result}`,
    );
    expect(done).to.equal('done');
    expect((await told())[1]).to.deep.equal({ ...ofAda, phase: 'completed', detail: 'it is done' });
  });

  it('tells its operation and parameters in both events, under one id, with the request', async () => {
    const { log, audited } = given();
    await audited(pause, () => Promise.resolve());
    const events = await log.readAll(START_POSITION, 100);
    expect(new Set(events.map(({ data }) => data['actId']))).to.have.lengthOf(1);
    for (const { type, data, metadata } of events) {
      expect(type).to.equal('OperatorActed');
      expect(data).to.deep.include({ day: '2026-03-02', ...pause });
      expect(metadata).to.include({ requestId: 'request-1', $correlationId: 'request-1' });
    }
  });

  it('is recorded as failed with the message of its refusal', async () => {
    const { audited, told } = given();
    const refusal = await refusalOf(audited(pause, () => Promise.reject(conflict('lists is paused'))));
    expect(refusal.reason).to.equal('conflict');
    expect((await told())[1]).to.deep.equal({ ...ofAda, phase: 'failed', detail: 'lists is paused' });
  });

  it('is recorded as failed by the name of any other error, whose message may hold a secret', async () => {
    const { audited, told } = given();
    const failure = Object.assign(new Error('mongodb://ada:secret@host'), { code: 'ECONNREFUSED' });
    expect(await rejectionOf(audited(pause, () => Promise.reject(failure)))).to.equal(failure);
    expect((await told())[1]).to.deep.equal({ ...ofAda, phase: 'failed', detail: 'an error: ECONNREFUSED' });
  });

  it('is not done where it cannot be recorded', async () => {
    const { audited } = given({ append: unavailable });
    let isDone = false;
    const rejection = await rejectionOf(
      audited(pause, () => {
        isDone = true;
        return Promise.resolve();
      }),
    );
    expect(rejection).to.be.instanceOf(ActNotRecordedError);
    expect(String(rejection)).to.include('nothing was done');
    expect(isDone).to.equal(false);
  });

  it('says so where it was done, and its end cannot be recorded', async () => {
    const { audited } = given(failingFrom(2));
    const rejection = await rejectionOf(audited(pause, () => Promise.resolve()));
    expect(rejection).to.be.instanceOf(ActNotRecordedError);
    expect(String(rejection)).to.include('this was done');
  });

  it('says why it failed, also where that cannot be recorded', async () => {
    const { audited } = given(failingFrom(2));
    const rejection = await rejectionOf(audited(pause, () => Promise.reject(conflict('lists is paused'))));
    expect(rejection).to.be.instanceOf(ActNotRecordedError);
    expect(String(rejection)).to.include('lists is paused');
  });

  const unfit: AuditedAct['parameters'] = {
    stream: 'list-\u0000',
    reason: 'why\nelse',
    types: ['Saved', 'list-\u202e'],
  };
  for (const [name, value] of Object.entries(unfit))
    it(`is refused, and not recorded, with ${JSON.stringify(value)} for ${name}`, async () => {
      const { audited, told } = given();
      const refusal = await refusalOf(
        audited({ operation: 'skip', parameters: { [name]: value } }, () => expect.fail('It was done')),
      );
      expect(refusal.reason).to.equal('invalid');
      expect(refusal.message).to.match(new RegExp(`parameters/${name} must not contain control`));
      expect(await told()).to.deep.equal([]);
    });

  it('is recorded beside acts that other processes record', async () => {
    const { log, audited, told } = given();
    const clock = createClock('2026-03-02T12:00:00.000Z').now;
    const elsewhere = createAudit(log, { clock, ids: randomIdAndCodeGenerator })({ actor: 'os:bob' });
    for (let round = 0; round < 3; round++)
      await Promise.all([audited(pause, () => Promise.resolve()), elsewhere(pause, () => Promise.resolve())]);
    const actors = (await told()).map(({ actor }) => actor);
    expect(actors.filter((actor) => actor === 'os:bob')).to.have.lengthOf(6);
    expect(actors.filter((actor) => actor === 'user-ada')).to.have.lengthOf(6);
  });

  it('ends in the stream of the day on which it was asked for', async () => {
    const { clock, audited, told } = given();
    await audited(pause, () => {
      clock.advance(5);
      return Promise.resolve();
    });
    expect((await told()).map(({ stream }) => stream)).to.deep.equal([ofAda.stream, ofAda.stream]);
  });
});
