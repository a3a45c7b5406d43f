import { expect } from 'chai';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import type { StreamRelease } from '../../src/projector/release.ts';
import { collectionMapperOf } from '../../src/projector/build-projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { checkpointsOf } from '../support/parked.ts';
import { officeNames, offices, recordOffice } from '../support/quarantine-stage.ts';
import { now, stageForEach, startReconciler } from '../support/running-reconciler.ts';

const NAME = 'office-names';
const LIVE = `${NAME}@1.1`;

describe('The reconciler of builds, of parked streams that an operator has released', () => {
  const current = stageForEach();

  /** A served projection with one stream parked at its second event; records what is tried from then on. */
  const parkedOnce = async (readModels: ReadModelStore = current.stage.readModels) => {
    let isMended = false;
    const { projection, tried } = officeNames((name) => !isMended && name === 'bad');
    const { eventStore } = current.stage;
    const registry = openMemoryBuildRegistry();
    await recordOffice(eventStore, 'a', 'one', 'bad', 'three');
    const checkpoints = checkpointsOf(registry, readModels);
    const parked = async () => (await checkpoints()).get(LIVE)?.parked;
    const start = async () => {
      const projections = [projection];
      const running = await startReconciler({ registry, eventStore, readModels, projections });
      current.stops.push(running.stop);
      await eventually('it is served', () => running.isCaughtUp());
      return running;
    };
    const running = await start();
    await eventually('the stream is parked', async () => (await parked())?.length === 1);
    const active = async () => (await registry.all()).get(NAME)?.builds[0];
    await eventually('it is complete', async () => (await active())?.step === 'ready');
    return {
      operations: createProjectionOperations(registry, [projection], checkpoints, now),
      running,
      start,
      parked,
      tried,
      names: async () => (await readModels.get(collectionMapperOf(LIVE)(offices), 'a'))?.doc.names,
      releases: async (): Promise<readonly StreamRelease[]> => (await active())?.releases ?? [],
      mend: () => (isMended = true),
    };
  };

  it('has them applied, and keeps in mind what was asked for', async () => {
    const { operations, parked, names, releases, mend } = await parkedOnce();
    mend();
    await operations.retry(NAME, undefined);
    await eventually('nothing is parked', async () => (await parked())?.length === 0);
    expect(await names()).to.deep.equal(['one', 'bad', 'three']);
    expect(await releases()).to.deep.equal([
      { number: 1, stream: 'office-a', revision: 1, event: 'a bad', kind: 'retry' },
    ]);
  });

  it('has them tried once where that does not help', async () => {
    const { operations, parked, tried } = await parkedOnce();
    tried.length = 0;
    await operations.retry(NAME, 'office-a');
    await eventually('it was tried', async () => (await parked())?.[0]?.release === 1);
    const head = await recordOffice(current.stage.eventStore, 'b', 'later');
    const { readModels } = current.stage;
    const isThere = async () => (await readModels.checkpointOf(LIVE))?.position === head;
    await eventually('it has gone on', isThere);
    // The last one is tried more than once, as its documents are still to be read.
    expect(tried.filter((name) => name !== 'later')).to.deep.equal(['bad', 'bad', 'bad']);
  });

  it('has them applied when a process is there again', async () => {
    const { operations, running, start, parked, names } = await parkedOnce();
    await running.stop();
    await operations.skip(NAME, 'office-a');
    expect(await parked()).to.have.length(1);
    await start();
    await eventually('nothing is parked', async () => (await parked())?.length === 0);
    expect(await names()).to.deep.equal(['one', 'three']);
  });

  it('tries again where the store fails at it, with nothing applied twice', async () => {
    let failuresLeft = 0;
    const { readModels } = current.stage;
    const failing: ReadModelStore = {
      ...readModels,
      async commit(...args) {
        await readModels.commit(...args);
        if (failuresLeft-- > 0) throw new Error('no answer');
      },
    };
    const { operations, parked, names, mend } = await parkedOnce(failing);
    mend();
    failuresLeft = 1;
    await operations.retry(NAME, 'office-a');
    await eventually('nothing is parked', async () => (await parked())?.length === 0);
    expect(await names()).to.deep.equal(['one', 'bad', 'three']);
  });
});
