import { expect } from 'chai';
import type { QuarantineRecords } from '../src/builds/quarantine.ts';
import type { Projection } from '../src/projection.ts';
import type { ProjectorOptions } from '../src/projector.ts';
import type { ReadModelStore } from '../src/read-models/port.ts';
import { closings, LONG_MS, newStage, statusOf, until, type Stage } from './projector-stage.ts';
import { recordsInMemory, offices, counts, officeNames } from './quarantine-stage.ts';
import { metadata } from './examples.ts';

describe('projector, with an event that cannot be folded', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = newStage();
  });
  afterEach(() => stage.end());

  /** Records names of an office, one event each; gives the last position. */
  const record = async (office: string, ...names: readonly string[]) => {
    const stream = `office-${office}`;
    let { length } = await stage.eventStore.readStream(stream);
    let last = '';
    for (const officeName of names) {
      const data = { officeId: office, officeName, address: [], officeInfo: null };
      const event = { id: `${office} ${officeName}`, type: 'OfficeRecorded', version: 1, data, metadata };
      const result = await stage.eventStore.append({
        stream,
        expectedRevision: length - 1,
        events: [event],
      });
      length++;
      if (result.kind === 'appended') last = result.position;
    }
    return last;
  };
  const namesOf = async (office: string) => (await stage.readModels.get(offices, office))?.doc.names;
  const countOf = async (office: string) => (await stage.readModels.get(counts, office))?.doc.count;
  const start = (projection: Projection, records: QuarantineRecords, more: Partial<ProjectorOptions> = {}) =>
    stage.start([projection], { quarantine: records, ...more });

  it('holds up that stream alone, whose later events wait, and records what is known of it', async () => {
    // Given
    const { projection } = officeNames((name) => name === 'bad');
    const { records, all } = recordsInMemory();
    await record('a', 'one', 'bad', 'three');
    const head = await record('b', 'one', 'two');

    // When
    const projector = await start(projection, records);
    expect(await projector.reached(['office-names'], head, LONG_MS)).to.equal(true);

    // Then
    expect(await namesOf('a')).to.deep.equal(['one']);
    expect(await namesOf('b')).to.deep.equal(['one', 'two']);
    expect(all()).to.have.length(1);
    expect(all()[0]).to.include({
      stream: 'office-a',
      revision: 1,
      position: '000002',
      type: 'OfficeRecorded',
      error: 'cannot fold bad',
      request: 'none',
    });
    expect(all()[0]?.stack).to.match(/^Error: cannot fold bad\n +at /);
    expect(statusOf(projector, 'office-names')).to.include({ waitingStreams: 1, position: head });

    // And what comes later for the one waits as well
    const later = await record('a', 'four');
    expect(await projector.reached(['office-names'], later, LONG_MS)).to.equal(true);
    expect(await namesOf('a')).to.deep.equal(['one']);
  });

  it('undoes what the handler had changed before it failed', async () => {
    const { projection } = officeNames((name) => name === 'bad');
    const head = await record('a', 'one', 'bad');
    const projector = await start(projection, recordsInMemory().records);
    expect(await projector.reached(['office-names'], head, LONG_MS)).to.equal(true);
    expect(await countOf('a')).to.equal(1);
  });

  it('tries three times before, and no more', async () => {
    const { projection, tried } = officeNames((name) => name === 'bad');
    const head = await record('a', 'bad', 'two');
    const projector = await start(projection, recordsInMemory().records);
    expect(await projector.reached(['office-names'], head, LONG_MS)).to.equal(true);
    expect(tried).to.deep.equal(['bad', 'bad', 'bad']);
  });

  it('holds up nothing when the next attempt succeeds', async () => {
    let failuresLeft = 2;
    const { projection } = officeNames(() => failuresLeft-- > 0);
    const { records, streams } = recordsInMemory();
    const head = await record('a', 'one', 'two');
    const projector = await start(projection, records);
    expect(await projector.reached(['office-names'], head, LONG_MS)).to.equal(true);
    expect(await namesOf('a')).to.deep.equal(['one', 'two']);
    expect(await countOf('a')).to.equal(2);
    expect(streams()).to.deep.equal([]);
  });

  it('is recorded before the checkpoint passes it; a failure to record it is told, and tried again', async () => {
    let failuresLeft = 3;
    const positions: (string | undefined)[] = [];
    const { records, streams } = recordsInMemory(() => {
      if (failuresLeft-- > 0) throw new Error('no catalogue');
    });
    const watched = {
      ...stage.readModels,
      commit: (...args: Parameters<typeof stage.readModels.commit>) => {
        if (streams().length === 0) positions.push(args[2]?.position);
        return stage.readModels.commit(...args);
      },
    };
    const { projection } = officeNames((name) => name === 'bad');
    const head = await record('a', 'one', 'bad', 'three');
    const projector = await start(projection, records, { readModels: watched });
    expect(await projector.reached(['office-names'], head, LONG_MS)).to.equal(true);
    expect(streams()).to.deep.equal(['office-a']);
    expect(stage.errors).to.include('office-names: Error: no catalogue');
    expect(positions.filter((position) => (position ?? '') >= '000002')).to.deep.equal([]);
    expect(await namesOf('a')).to.deep.equal(['one']);
  });

  it('waits on after a restart', async () => {
    const { projection, tried } = officeNames((name) => name === 'bad');
    const { records } = recordsInMemory();
    const first = await start(projection, records);
    await first.reached(['office-names'], await record('a', 'one', 'bad'), LONG_MS);
    await first.stop();
    const head = await record('a', 'three');
    const second = await start(projection, records);
    expect(await second.reached(['office-names'], head, LONG_MS)).to.equal(true);
    expect(await namesOf('a')).to.deep.equal(['one']);
    expect(tried).to.deep.equal(['one', 'bad', 'bad', 'bad']);
    expect(statusOf(second, 'office-names')).to.include({ waitingStreams: 1 });
  });

  it('heals when it is released after a fix: all that waited is folded in order', async () => {
    let isBroken = true;
    const { projection } = officeNames((name) => isBroken && name === 'bad');
    const { records, streams } = recordsInMemory();
    const projector = await start(projection, records);
    await projector.reached(['office-names'], await record('a', 'one', 'bad', 'three'), LONG_MS);
    await projector.reached(['office-names'], await record('b', 'one'), LONG_MS);
    isBroken = false;
    await projector.release('office-names', 'office-a', 1);
    expect(await namesOf('a')).to.deep.equal(['one', 'bad', 'three']);
    expect(await countOf('a')).to.equal(3);
    expect(streams()).to.deep.equal([]);
    await projector.reached(['office-names'], await record('a', 'four'), LONG_MS);
    expect(await namesOf('a')).to.deep.equal(['one', 'bad', 'three', 'four']);
    expect(statusOf(projector, 'office-names')?.waitingStreams).to.equal(undefined);
  });

  it('waits again, from where it failed, when it is released before a fix', async () => {
    const { projection } = officeNames((name) => name.startsWith('bad'));
    const { records, all } = recordsInMemory();
    const projector = await start(projection, records);
    await projector.reached(['office-names'], await record('a', 'bad', 'two', 'bad too', 'four'), LONG_MS);
    await projector.release('office-names', 'office-a', 0);
    expect(all().map(({ stream, revision }) => ({ stream, revision }))).to.deep.equal([
      { stream: 'office-a', revision: 0 },
    ]);
    await projector.release('office-names', 'office-a', 1);
    expect(await namesOf('a')).to.deep.equal(['two']);
    expect(all().map(({ revision }) => revision)).to.deep.equal([2]);
  });

  it('is released later when the store has failed, with nothing folded twice', async () => {
    let isBroken = true;
    let failuresLeft = 0;
    const shaky: ReadModelStore = {
      ...stage.readModels,
      commit: (...args) =>
        failuresLeft-- > 0 ? Promise.reject(new Error('no store')) : stage.readModels.commit(...args),
    };
    const { projection } = officeNames((name) => isBroken && name === 'bad');
    const { records, streams } = recordsInMemory();
    const projector = await start(projection, records, { readModels: shaky });
    const head = await record('a', 'one', 'bad', 'three');
    await projector.reached(['office-names'], head, LONG_MS);
    isBroken = false;
    failuresLeft = 1;
    const failed = await projector.release('office-names', 'office-a', 1).catch(String);
    expect(failed).to.equal('Error: no store');
    expect(streams()).to.deep.equal(['office-a']);
    await projector.release('office-names', 'office-a', 1);
    expect(await namesOf('a')).to.deep.equal(['one', 'bad', 'three']);
    expect(await countOf('a')).to.equal(3);
    expect(streams()).to.deep.equal([]);
  });

  it('is left out when what comes after it is released', async () => {
    const { projection } = officeNames((name) => name === 'bad');
    const { records, streams } = recordsInMemory();
    const projector = await start(projection, records);
    await projector.reached(['office-names'], await record('a', 'one', 'bad', 'three'), LONG_MS);
    await projector.release('office-names', 'office-a', 2);
    expect(await namesOf('a')).to.deep.equal(['one', 'three']);
    expect(streams()).to.deep.equal([]);
  });

  it('stops the projection where it is strict, and no other', async () => {
    const { projection } = officeNames((name) => name === 'bad');
    const { records, streams } = recordsInMemory();
    const sound = closings('sound');
    const projector = await stage.start([sound.projection], { quarantine: records });
    await record('a', 'one', 'bad');
    await projector.keep([{ projection: sound.projection }, { projection, isStrict: true }]);
    const head = await stage.close('p');
    expect(await projector.reached(['sound'], head, LONG_MS)).to.equal(true);
    await until(() => projector.status().some(({ stopped }) => stopped !== undefined));
    expect(statusOf(projector, 'office-names')?.lastError).to.equal(
      'OfficeRecorded (event 1 of office-a, at 000002) cannot be folded: cannot fold bad',
    );
    expect(streams()).to.deep.equal([]);
  });

  it('stops the projection where more than a hundred streams would wait: then it is not the events', async function () {
    this.timeout(30_000);
    const { projection } = officeNames(() => true);
    const { records, streams } = recordsInMemory();
    for (let office = 0; office <= 100; office++) await record(String(office), 'any');
    const projector = await start(projection, records, { batchSize: 10 });
    const isAt = (position: string) => projector.status().some((each) => each.position === position);
    await until(() => isAt('000100') && projector.status().some(({ stopped }) => stopped !== undefined));
    expect(statusOf(projector, 'office-names')?.lastError).to.include('event 0 of office-100');
    expect(streams()).to.have.length(100);
  });

  it('is not what it is taken for when the store has failed: the projection tries again', async () => {
    let failuresLeft = 5;
    const { getMany: _unused, ...store } = stage.readModels;
    const shaky: ReadModelStore = {
      ...store,
      get: (collection, id) =>
        failuresLeft-- > 0 ? Promise.reject(new Error('no store')) : store.get(collection, id),
    };
    const { projection } = officeNames(() => false);
    const { records, streams } = recordsInMemory();
    const first = await start(projection, records);
    await first.reached(['office-names'], await record('a', 'one'), LONG_MS);
    await first.stop();
    const head = await record('a', 'two');
    const second = await start(projection, records, { readModels: shaky });
    expect(await second.reached(['office-names'], head, LONG_MS)).to.equal(true);
    expect(streams()).to.deep.equal([]);
    expect(await namesOf('a')).to.deep.equal(['one', 'two']);
    expect(stage.errors).to.include('office-names: Error: no store');
  });
});
