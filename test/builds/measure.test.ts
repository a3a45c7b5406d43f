import { expect } from 'chai';
import { createProgressRecorder } from '../../src/builds/progress-recorder.ts';
import { createProjectionBuilds } from '../../src/builds/transitions.ts';
import type { EventLog, LogEventCounter } from '../../src/event-store/port.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { closings } from '../support/projector-stage.ts';
import { NOW } from '../support/build-records.ts';

type Log = Pick<EventLog, 'head'> & Pick<LogEventCounter, 'countOf' | 'shareOf'>;

describe('how far a build has come', () => {
  const { projection } = closings('lists');

  /** The record once a build has applied 30 events and is at position 3 of 9. */
  const recordOf = async (eventStore: Log, of?: number, isLast = false) => {
    const registry = openMemoryBuildRegistry();
    const record = await registry.change('lists', () => createProjectionBuilds('lists', 1, NOW));
    const [build] = record.builds;
    if (!build) throw new Error('There is no build');
    const measure = createProgressRecorder({ registry, eventStore, now: () => NOW });
    await measure.note('lists', projection, build, { seen: 30, of, applied: '3' }, { isLast });
    return (await registry.all()).get('lists');
  };
  const noted = async (...args: Parameters<typeof recordOf>) => (await recordOf(...args))?.builds[0]?.progress;
  const head = () => Promise.resolve('9');

  it('is told of the events of its types, where the log can count them', async () => {
    const countOf: Log['countOf'] = (types, upTo) => Promise.resolve(types.length * 40 + Number(upTo));
    expect(await noted({ head, countOf })).to.include({ events: 30, of: 49 });
  });

  it('is told by its place in the log, where counting would be reading it all', async () => {
    const countOf = () => Promise.reject(new Error('This takes long'));
    const shareOf = (position: string, upTo: string) => Number(position) / Number(upTo);
    expect(await noted({ head, countOf, shareOf })).to.include({ events: 30, of: 90 });
  });

  it('is all of them at its end, also where an interrupted build has counted fewer', async () => {
    expect(await noted({ head, countOf: () => Promise.resolve(40) }, undefined, true)).to.include({
      events: 40,
      of: 40,
    });
  });

  it('leaves its rate at its end', async () => {
    const log = { head, countOf: () => Promise.resolve(40) };
    expect((await recordOf(log))?.perSecond).to.equal(null);
    expect((await recordOf(log, undefined, true))?.perSecond).to.be.greaterThan(0);
  });

  it('is never told of fewer events than it has applied', async () => {
    expect(await noted({ head, countOf: () => Promise.resolve(7) })).to.include({ events: 30, of: 30 });
    const shareOf = () => 0;
    expect(await noted({ head, countOf: () => Promise.resolve(0), shareOf })).to.include({ of: 30 });
  });
});
