import { expect } from 'chai';
import type { BuildRegistry } from '../../src/builds/registry.ts';
import { createProjectionOperations, type ProjectionOperations } from '../../src/builds/operations.ts';
import type { Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { openMemoryReadModels } from '../support/memory-stores.ts';
import { nothingParked } from '../support/parked.ts';
import { closings } from '../support/projector-stage.ts';
import { asked, now, stageForEach, startReconciler, type RunningReconciler } from '../support/running-reconciler.ts';

describe('The reconciler of builds, of a projection that is paused', () => {
  const current = stageForEach();
  let registry: BuildRegistry;
  let projections: readonly Projection[];
  let operations: ProjectionOperations;
  beforeEach(() => {
    registry = openMemoryBuildRegistry();
    projections = [closings('closed').projection];
    operations = createProjectionOperations(registry, projections, nothingParked, now);
  });

  const start = async (readModels: ReadModelStore, watched = registry): Promise<RunningReconciler> => {
    const { eventStore } = current.stage;
    const reconciling = await startReconciler({ registry: watched, eventStore, readModels, projections });
    current.stops.push(reconciling.stop);
    return reconciling;
  };
  const stepOf = async (id: string) =>
    (await registry.all()).get('closed')?.builds.find((build) => build.id === id)?.step;
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
    const counting: BuildRegistry = {
      ...registry,
      change: (...args) => registry.change(...args).finally(() => changes++),
    };
    await start(readModels, counting);
    await eventually('it is served', async () => (await stepOf('closed@1.1')) === 'ready');
    await operations.rebuild(['closed'], { ...asked, isApproved: false });
    await eventually('it is compared', () => isScanned);

    // When an operator pauses it, and the comparison finds differences
    await operations.pause('closed', 'ada');
    const before = changes;
    gate.open();
    await eventually('it is over', () => changes > before);

    // Then they do not count until it is compared again
    expect(await stepOf('closed@1.2')).to.equal('verify');
    await operations.resume('closed');
    await eventually('it is known to differ', async () => (await stepOf('closed@1.2')) === 'differs', 10_000);
  });
});
