import { expect } from 'chai';
import { StoreUnavailableError } from '../../src/errors/store-unavailable.ts';
import { createReadOutageMonitor, type ReadOutageMonitor } from '../../src/monitoring/read-outage-monitor.ts';
import type { ReadModelsReader } from '../../src/read-models/embedded/reader.ts';
import { eventually } from '../support/eventually.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const AWAY = 'MongoDB does not answer';

describe('Whether read models can be read', () => {
  let failure: Error | undefined;
  let probes: number;
  let told: (string | undefined)[];
  let watch: ReadOutageMonitor;
  const answer = <T>(value: T): Promise<T> => (failure ? Promise.reject(failure) : Promise.resolve(value));
  const reads = { get: () => answer(undefined), find: () => answer([]), count: () => answer(0) };
  const people = { name: 'people', columns: {}, indexes: [], partition: 'id' };

  const watching = (more: Partial<ReadModelsReader> = {}): void => {
    [failure, probes, told] = [undefined, 0, []];
    watch = createReadOutageMonitor(
      {
        ...reads,
        refresh: () => undefined,
        checkpoints() {
          probes++;
          return answer(new Map());
        },
        close: () => Promise.resolve(),
        ...more,
      },
      { onChange: (error) => told.push(error?.message), everyMs: 1 },
    );
  };
  beforeEach(() => watching());
  afterEach(() => watch.stop());

  it('is not in question while they are, nor where a read itself is at fault', async () => {
    expect(await watch.reader.count(people, {})).to.equal(0);
    failure = new Error('a defect');
    expect(await rejectionOf(watch.reader.get(people, 'a'))).to.equal(failure);
    expect({ told, probes, reason: watch.reason() }).to.deep.equal({ told: [], probes: 0, reason: undefined });
  });

  it('is denied, with the reason, and told once, while reads fail; and its end is found out without a read', async () => {
    failure = new StoreUnavailableError(AWAY);
    expect(await rejectionOf(watch.reader.get(people, 'a'))).to.equal(failure);
    expect(await rejectionOf(watch.reader.find(people, { filter: {} }))).to.equal(failure);
    expect(watch.reason()).to.equal(AWAY);
    await eventually('it has tried in vain', () => probes >= 3);
    expect(told).to.deep.equal([AWAY]);

    failure = undefined;
    await eventually('it knows', () => watch.reason() === undefined);
    expect(told).to.deep.equal([AWAY, undefined]);
  });

  it('is denied as well by reads whose changes are tracked, also by one that throws before it is under way', async () => {
    await watch.stop();
    watching({
      track: () => ({
        readModels: {
          ...reads,
          get() {
            throw new StoreUnavailableError(AWAY);
          },
        },
        validities: new Set(),
      }),
    });
    failure = new StoreUnavailableError(AWAY);
    await rejectionOf(watch.reader.track?.().readModels.get(people, 'a') ?? Promise.resolve());
    expect(told).to.deep.equal([AWAY]);
  });
});
