import { expect } from 'chai';
import type { Catalogue } from '../../src/build-registry/catalogue.ts';
import { createOperations, type Operations } from '../../src/rebuilds/operations.ts';
import type { Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryCatalogue } from '../support/memory-catalogue.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';
import { nothingParked } from '../support/parked.ts';
import { closings } from '../support/projector-stage.ts';
import { asked, now, stageForEach, startSupervised, type Supervised } from '../support/supervised.ts';

describe('The supervisor of builds, of a projection that is paused', () => {
  const current = stageForEach();
  let catalogue: Catalogue;
  let projections: readonly Projection[];
  let operations: Operations;
  beforeEach(() => {
    catalogue = openMemoryCatalogue();
    projections = [closings('closed').projection];
    operations = createOperations(catalogue, projections, nothingParked, now);
  });

  const start = async (readModels: ReadModelStore, watched = catalogue): Promise<Supervised> => {
    const { eventStore } = current.stage;
    const supervised = await startSupervised({ catalogue: watched, eventStore, readModels, projections });
    current.stops.push(supervised.stop);
    return supervised;
  };
  const stepOf = async (id: string) =>
    (await catalogue.all()).get('closed')?.builds.find((build) => build.id === id)?.step;
  /** A projection that was served, in a process that has ended. */
  const servedOnce = async () => {
    const { stage } = current;
    await stage.close('a');
    const first = await start(stage.readModels);
    await eventually('it is served', async () => (await stepOf('closed@1.1')) === 'ready');
    await operations.pause('closed', 'ada');
    await first.stop();
  };

  it('is not ready when its documents are gone, until it is resumed', async () => {
    await servedOnce();
    const second = await start(openMemoryReadModels());
    expect(second.isCaughtUp()).to.equal(false);
    await operations.resume('closed');
    await eventually('it is ready', () => second.isCaughtUp());
  });

  it('is ready when its documents are there', async () => {
    await servedOnce();
    const { stage } = current;
    await stage.close('b');
    expect((await start(stage.readModels)).isCaughtUp()).to.equal(true);
  });

  it('does not judge a build that stood still while it was compared, because it was paused', async () => {
    // Given a rebuild that is being compared
    const { stage } = current;
    await stage.close('a');
    const gate = stage.gate();
    let isScanned = false;
    const readModels: ReadModelStore = {
      ...stage.readModels,
      async scan(...args) {
        isScanned = true;
        await gate.opened;
        return stage.readModels.scan(...args);
      },
    };
    let changes = 0;
    const counting: Catalogue = {
      ...catalogue,
      change: (...args) => catalogue.change(...args).finally(() => changes++),
    };
    await start(readModels, counting);
    await eventually('it is served', async () => (await stepOf('closed@1.1')) === 'ready');
    await operations.rebuild('closed', { ...asked, isApproved: false });
    await eventually('it is compared', () => isScanned);

    // When it is paused, and the comparison comes to an end with documents that differ
    await operations.pause('closed', 'ada');
    const before = changes;
    gate.open();
    await eventually('it is over', () => changes > before);

    // Then that says nothing, until it is compared again
    expect(await stepOf('closed@1.2')).to.equal('verify');
    await operations.resume('closed');
    await eventually('it is known to differ', async () => (await stepOf('closed@1.2')) === 'differs', 10_000);
  }).timeout(30_000);
});
