import { expect } from 'chai';
import type { Projection } from '../../src/projector/projection.ts';
import type { ProjectorOptions } from '../../src/projector/projector.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { closings, LONG_MS, newStage, statusOf, until, type Stage } from '../support/projector-stage.ts';
import { counts, now, officeNames, offices, recordOffice } from '../support/quarantine-stage.ts';

const NAME = 'office-names';
const PAUSE_MS = 50;
/** A timer may end so much earlier than asked. */
const TIMER_MS = 1;

describe('projector, with an event that cannot be applied', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = newStage();
  });
  afterEach(() => stage.end());

  const record = (office: string, ...names: readonly string[]) => recordOffice(stage.eventStore, office, ...names);
  const namesOf = async (office: string) => (await stage.readModels.get(offices, office))?.doc.names;
  const countOf = async (office: string) => (await stage.readModels.get(counts, office))?.doc.count;
  const parked = async () => (await stage.readModels.checkpointOf(NAME))?.parked ?? [];
  const start = (projection: Projection, more: Partial<ProjectorOptions> = {}) =>
    stage.start([projection], { parkedAt: () => now, ...more });

  it('parks that stream alone, whose later events wait, and keeps what is known of it', async () => {
    // Given
    const { projection } = officeNames((name) => name === 'bad');
    await record('a', 'one', 'bad', 'three');
    const head = await record('b', 'one', 'two');

    // When
    const projector = await start(projection);
    expect(await projector.reached([NAME], head, LONG_MS)).to.equal(true);

    // Then
    expect(await namesOf('a')).to.deep.equal(['one']);
    expect(await namesOf('b')).to.deep.equal(['one', 'two']);
    const stored = await parked();
    expect(stored).to.have.length(1);
    expect(stored[0]).to.include({
      stream: 'office-a',
      revision: 1,
      position: '000002',
      type: 'OfficeRecorded',
      error: 'cannot apply bad',
      at: now,
      release: 0,
    });
    expect(stored[0]?.stack).to.match(/^Error: cannot apply bad\n +at /);
    expect(statusOf(projector, NAME)).to.deep.include({
      parked: [{ stream: 'office-a', revision: 1, event: 'a bad', release: 0, underWay: 0 }],
      position: head,
    });

    // And later events of the stream wait as well
    const later = await record('a', 'four');
    expect(await projector.reached([NAME], later, LONG_MS)).to.equal(true);
    expect(await namesOf('a')).to.deep.equal(['one']);
  });

  it('undoes what the handler had changed before it failed', async () => {
    const { projection } = officeNames((name) => name === 'bad');
    const head = await record('a', 'one', 'bad');
    const projector = await start(projection);
    expect(await projector.reached([NAME], head, LONG_MS)).to.equal(true);
    expect(await countOf('a')).to.equal(1);
  });

  it('tries three times before, and no more, with a pause between the tries, longer each time', async () => {
    const times: number[] = [];
    const { projection, tried } = officeNames((name) => {
      if (name === 'bad') times.push(performance.now());
      return name === 'bad';
    });
    const projector = await start(projection, { batchSize: 1, retryEventAfterMs: PAUSE_MS });
    // Given a projector that has the documents that the handler reads
    await projector.reached([NAME], await record('a', 'one'), LONG_MS);
    tried.length = 0;

    expect(await projector.reached([NAME], await record('a', 'bad', 'two'), LONG_MS)).to.equal(true);

    expect(tried).to.deep.equal(['bad', 'bad', 'bad']);
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).to.be.at.least(PAUSE_MS - TIMER_MS);
    expect(third - second).to.be.at.least(2 * PAUSE_MS - TIMER_MS);
  });

  it('parks nothing when the next attempt succeeds', async () => {
    let failuresLeft = 2;
    const { projection } = officeNames(() => failuresLeft-- > 0);
    const head = await record('a', 'one', 'two');
    const projector = await start(projection);
    expect(await projector.reached([NAME], head, LONG_MS)).to.equal(true);
    expect(await namesOf('a')).to.deep.equal(['one', 'two']);
    expect(await countOf('a')).to.equal(2);
    expect(await parked()).to.deep.equal([]);
  });

  it('stores that in the commit whose checkpoint passes it; a failure to store is told, and tried again', async () => {
    let failuresLeft = 3;
    const passedIt: (readonly string[])[] = [];
    const watched: ReadModelStore = {
      ...stage.readModels,
      commit(projection, writes, checkpoint) {
        if (checkpoint.position >= '000002') passedIt.push(checkpoint.parked.map(({ stream }) => stream));
        if (failuresLeft-- > 0) return Promise.reject(new Error('no store'));
        return stage.readModels.commit(projection, writes, checkpoint);
      },
    };
    const { projection } = officeNames((name) => name === 'bad');
    const head = await record('a', 'one', 'bad', 'three');
    const projector = await start(projection, { readModels: watched });
    expect(await projector.reached([NAME], head, LONG_MS)).to.equal(true);
    expect((await parked()).map(({ stream }) => stream)).to.deep.equal(['office-a']);
    expect(stage.errors).to.include(`${NAME}: Error: no store`);
    expect(passedIt).not.to.deep.equal([]);
    for (const streams of passedIt) expect(streams).to.deep.equal(['office-a']);
    expect(await namesOf('a')).to.deep.equal(['one']);
  });

  it('stays parked after a restart', async () => {
    const { projection, tried } = officeNames((name) => name === 'bad');
    const first = await start(projection);
    await first.reached([NAME], await record('a', 'one', 'bad'), LONG_MS);
    await first.stop();
    tried.length = 0;
    const head = await record('a', 'three');
    const second = await start(projection);
    expect(await second.reached([NAME], head, LONG_MS)).to.equal(true);
    expect(await namesOf('a')).to.deep.equal(['one']);
    expect(tried).to.deep.equal([]);
    expect(statusOf(second, NAME)?.parked).to.deep.equal([
      { stream: 'office-a', revision: 1, event: 'a bad', release: 0, underWay: 0 },
    ]);
  });

  it('stops the projection where it is strict, and no other', async () => {
    const { projection } = officeNames((name) => name === 'bad');
    const sound = closings('sound');
    const projector = await start(sound.projection);
    await record('a', 'one', 'bad');
    await projector.keep([{ projection: sound.projection }, { projection, isStrict: true }]);
    const head = await stage.close('p');
    expect(await projector.reached(['sound'], head, LONG_MS)).to.equal(true);
    await until(() => projector.status().some(({ stopped }) => stopped !== undefined));
    expect(statusOf(projector, NAME)?.lastError).to.equal(
      'OfficeRecorded (event 1 of office-a, at 000002) cannot be applied: cannot apply bad',
    );
    expect(await parked()).to.deep.equal([]);
  });

  it('stops the projection where more than a hundred streams would be parked: then it is not the events', async () => {
    const { projection } = officeNames(() => true);
    for (let office = 0; office <= 100; office++) await record(String(office), 'any');
    const projector = await start(projection, { batchSize: 10 });
    const isAt = (position: string) => projector.status().some((each) => each.position === position);
    await eventually(
      'it has stopped',
      () => isAt('000100') && projector.status().some(({ stopped }) => stopped !== undefined),
    );
    expect(statusOf(projector, NAME)?.lastError).to.include('event 0 of office-100');
    expect(await parked()).to.have.length(100);
  });

  it('is not what it is taken for when the store has failed: the projection tries again', async () => {
    let failuresLeft = 5;
    const shaky: ReadModelStore = {
      ...stage.readModels,
      get: (collection, id) =>
        failuresLeft-- > 0 ? Promise.reject(new Error('no store')) : stage.readModels.get(collection, id),
    };
    const { projection } = officeNames(() => false);
    const first = await start(projection);
    await first.reached([NAME], await record('a', 'one'), LONG_MS);
    await first.stop();
    const head = await record('a', 'two');
    const second = await start(projection, { readModels: shaky });
    expect(await second.reached([NAME], head, LONG_MS)).to.equal(true);
    expect(await parked()).to.deep.equal([]);
    expect(await namesOf('a')).to.deep.equal(['one', 'two']);
    expect(stage.errors).to.include(`${NAME}: Error: no store`);
  });
});
