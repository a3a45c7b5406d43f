import { expect } from 'chai';
import { LogUnavailableError, NO_STREAM, type AppendResult } from '../../src/event-store/port.ts';
import { createWriteOutageMonitor, type WriteOutageMonitor } from '../../src/monitoring/write-outage-monitor.ts';
import { newEvents, newStream } from '../contract/new-events.ts';
import { eventually } from '../support/eventually.ts';
import { memoryLog, openMemoryEventStore } from '../support/memory-stores.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const AWAY = 'the log is away';

describe('Whether writes can be stored', () => {
  const disk = memoryLog();
  const store = openMemoryEventStore(disk);
  let failure: Error | undefined;
  let asked: number;
  let told: (string | undefined)[];
  let watch: WriteOutageMonitor;
  beforeEach(() => {
    failure = undefined;
    asked = 0;
    told = [];
    watch = createWriteOutageMonitor({
      log: {
        append(append): Promise<AppendResult> {
          asked++;
          return failure ? Promise.reject(failure) : store.append(append);
        },
      },
      clock: () => new Date('2026-03-01T09:30:00.000Z'),
      onChange: (error) => told.push(error?.message),
      everyMs: 1,
    });
  });
  afterEach(() => watch.stop());

  const append = (expectedRevision = NO_STREAM) =>
    watch.append({ stream: newStream(), expectedRevision, events: newEvents(1) });
  const rejected = async (error: Error) => {
    failure = error;
    const [outcome] = await Promise.allSettled([append()]);
    expect(outcome.status === 'rejected' && outcome.reason).to.equal(error);
  };

  it('is not in question while appends are stored or refused', async () => {
    expect((await append()).kind).to.equal('appended');
    expect((await append(7)).kind).to.equal('wrong-revision');
    expect(watch.reason()).to.equal(undefined);
    expect(told).to.deep.equal([]);
  });

  it('is not in question where an append itself is at fault', async () => {
    await rejected(new Error('It is not JSON'));
    expect(watch.reason()).to.equal(undefined);
  });

  it('is denied, with the reason, and told once, while appends fail', async () => {
    await rejected(new LogUnavailableError(AWAY));
    await rejected(new LogUnavailableError(AWAY));
    expect(watch.reason()).to.equal(AWAY);
    expect(told).to.deep.equal([AWAY]);
  });

  it('is found out again without an append from outside, and nothing is left of the tries', async () => {
    await rejected(new LogUnavailableError(AWAY));
    await eventually('it has tried in vain', () => asked >= 3);
    const before = disk.events.length;
    failure = undefined;
    await eventually('it knows', () => watch.reason() === undefined);
    expect(told).to.deep.equal([AWAY, undefined]);
    expect(disk.events).to.have.length(before);
    expect(await store.idempotencyRecords('2026-03-01T09:30:00.000Z')).to.deep.equal([]);
  });

  it('is denied as well while the log cannot be asked what comes before an append', async () => {
    // Given an event log that cannot be read
    const away = new LogUnavailableError(AWAY);
    failure = away;
    const ask = watch.asking((name: string) => (failure ? Promise.reject(failure) : Promise.resolve(name)));
    expect(await rejectionOf(ask('a'))).to.equal(away);
    expect(watch.reason()).to.equal(AWAY);

    // When it can be read again
    failure = undefined;
    await eventually('an append of its own was stored', () => watch.reason() === undefined);

    // Then
    expect(await ask('a')).to.equal('a');
    expect(told).to.deep.equal([AWAY, undefined]);
  });

  it('is not tried where nothing fails, nor after the end', async () => {
    watch.failed(new LogUnavailableError(AWAY));
    await watch.stop();
    expect({ asked, told }).to.deep.equal({ asked: 0, told: [AWAY] });
  });
});
