import { expect } from 'chai';
import type { Projection } from '../../src/projector/projection.ts';
import type { Projector, ProjectorOptions } from '../../src/projector/projector.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { LONG_MS, newStage, statusOf, type Stage } from '../support/projector-stage.ts';
import { counts, now, officeNames, offices, recordOffice, releaseOf } from '../support/quarantine-stage.ts';

const NAME = 'office-names';

describe('projector, when a parked stream is released', () => {
  let stage: Stage;
  let isMended: boolean;
  beforeEach(() => {
    stage = newStage();
    isMended = false;
  });
  afterEach(() => stage.end());

  const record = (office: string, ...names: readonly string[]) => recordOffice(stage.eventStore, office, ...names);
  const namesOf = async (office: string) => (await stage.readModels.get(offices, office))?.doc.names;
  const countOf = async (office: string) => (await stage.readModels.get(counts, office))?.doc.count;
  /** As stored: the parked event, and the last release that was tried. */
  const parked = async () =>
    ((await stage.readModels.checkpointOf(NAME))?.parked ?? []).map(
      ({ stream, revision, release }) => `${stream} ${revision} ${release}`,
    );
  const start = (projection: Projection, more: Partial<ProjectorOptions> = {}) =>
    stage.start([projection], { parkedAt: () => now, ...more });
  /** Fails at each name that begins with `bad`, until the test fixes it. */
  const unmended = () => officeNames((name) => !isMended && name.startsWith('bad'));
  const startedOn = async (names: readonly string[], more: Partial<ProjectorOptions> = {}) => {
    const { projection, tried } = unmended();
    const head = await record('a', ...names);
    const projector = await start(projection, more);
    await projector.reached([NAME], head, LONG_MS);
    return { projector, projection, tried };
  };
  const followed = async (projector: Projector): Promise<void> => {
    expect(await projector.reached([NAME], await record('b', 'later'), LONG_MS)).to.equal(true);
  };

  it('after a fix, applies all that waited, in order', async () => {
    const { projector } = await startedOn(['one', 'bad', 'three']);
    await followed(projector);
    isMended = true;
    await projector.release(NAME, releaseOf('office-a', 'a bad'));
    expect(await namesOf('a')).to.deep.equal(['one', 'bad', 'three']);
    expect(await countOf('a')).to.equal(3);
    expect(await parked()).to.deep.equal([]);
    await projector.reached([NAME], await record('a', 'four'), LONG_MS);
    expect(await namesOf('a')).to.deep.equal(['one', 'bad', 'three', 'four']);
    expect(statusOf(projector, NAME)?.parked).to.deep.equal([]);
  });

  it('before a fix, parks it again from where it failed', async () => {
    const { projector } = await startedOn(['bad', 'two', 'bad too', 'four']);
    await projector.release(NAME, releaseOf('office-a', 'a bad', { number: 1 }));
    expect(await parked()).to.deep.equal(['office-a 0 1']);
    await projector.release(NAME, releaseOf('office-a', 'a bad', { number: 2, kind: 'skip' }));
    expect(await namesOf('a')).to.deep.equal(['two']);
    expect(await parked()).to.deep.equal(['office-a 2 2']);
  });

  it('leaves out its event where that is to be skipped, and nothing else', async () => {
    const { projector } = await startedOn(['one', 'bad', 'three']);
    await projector.release(NAME, releaseOf('office-a', 'a bad', { kind: 'skip' }));
    expect(await namesOf('a')).to.deep.equal(['one', 'three']);
    expect(await parked()).to.deep.equal([]);
  });

  it('has nothing to apply where the skipped event is the last of the stream', async () => {
    const { projector } = await startedOn(['one', 'bad']);
    await projector.release(NAME, releaseOf('office-a', 'a bad', { kind: 'skip' }));
    expect(await parked()).to.deep.equal([]);
    await projector.reached([NAME], await record('a', 'three'), LONG_MS);
    expect(await namesOf('a')).to.deep.equal(['one', 'three']);
  });

  it('does so once for each release, however often it is asked for', async () => {
    const { projector, projection, tried } = await startedOn(['one', 'bad', 'three']);
    await projector.release(NAME, releaseOf('office-a', 'a bad'));
    tried.length = 0;
    await projector.release(NAME, releaseOf('office-a', 'a bad'));
    await projector.stop();
    const second = await start(projection);
    await followed(second);
    await second.release(NAME, releaseOf('office-a', 'a bad'));
    expect([...new Set(tried)]).to.deep.equal(['later']);
    expect(await parked()).to.deep.equal(['office-a 1 1']);
  });

  it('does nothing to a stream that is parked at another event, or not at all', async () => {
    const { projector, tried } = await startedOn(['one', 'bad', 'three']);
    tried.length = 0;
    await projector.release(NAME, releaseOf('office-a', 'a one', { kind: 'skip' }));
    await projector.release(NAME, releaseOf('office-a', 'a three', { kind: 'skip' }));
    await projector.release(NAME, releaseOf('office-b', 'b bad'));
    await projector.release('nobody', releaseOf('office-a', 'a bad'));
    expect(tried).to.deep.equal([]);
    expect(await parked()).to.deep.equal(['office-a 1 0']);
  });

  /** The stage's read models, of which some commits fail: before or after they are stored. */
  const failing = (isIt: (commit: number) => 'before' | 'after' | undefined) => {
    let commits = 0;
    let isArmed = false;
    const readModels: ReadModelStore = {
      ...stage.readModels,
      async commit(...args) {
        const when = isArmed ? isIt(++commits) : undefined;
        if (when === 'before') throw new Error('no store');
        await stage.readModels.commit(...args);
        if (when === 'after') throw new Error('no answer');
      },
    };
    return { readModels, arm: () => (isArmed = true) };
  };
  /** Repeats a release until it is carried out, as the reconciler does. */
  const releaseAgain = (projector: Projector, release: ReturnType<typeof releaseOf>) =>
    eventually('it is carried out', async () => {
      await projector.release(NAME, release);
      return true;
    });

  for (const when of ['before', 'after'] as const)
    it(`is carried out later when the store has failed ${when} it stored that, with nothing applied twice`, async () => {
      const { readModels, arm } = failing((commit) => (commit === 1 ? when : undefined));
      const { projector } = await startedOn(['one', 'bad', 'three'], { readModels });
      isMended = true;
      arm();
      const failed = await projector.release(NAME, releaseOf('office-a', 'a bad')).catch(String);
      expect(failed).to.match(/^Error: no/);
      await releaseAgain(projector, releaseOf('office-a', 'a bad'));
      expect(await namesOf('a')).to.deep.equal(['one', 'bad', 'three']);
      expect(await countOf('a')).to.equal(3);
      expect(await parked()).to.deep.equal([]);
    });

  for (const kind of ['retry', 'skip'] as const)
    it(`is carried out to its end when it was interrupted between two of its transactions: ${kind}`, async () => {
      // Given a release of more documents than are stored together, which ends in the middle of the stream
      const { readModels, arm } = failing((commit) => (commit === 2 ? 'before' : undefined));
      const names = ['one', 'bad', 'three', 'four', 'five', 'six'];
      const { projector } = await startedOn(names, { readModels, maxDocuments: 2 });
      isMended = kind === 'retry';
      arm();
      const release = releaseOf('office-a', 'a bad', { kind });
      expect(await projector.release(NAME, release).catch(String)).to.match(/^Error: no/);

      // When the reconciler repeats it
      await releaseAgain(projector, release);

      // Then
      const expected = names.filter((name) => kind === 'retry' || name !== 'bad');
      expect(await namesOf('a')).to.deep.equal(expected);
      expect(await countOf('a')).to.equal(expected.length);
      expect(await parked()).to.deep.equal([]);
    });
});
