import { expect } from 'chai';
import { buildOutcomeOf } from '../../src/builds/progress-lines.ts';
import type { BuildRegistry } from '../../src/builds/registry.ts';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import { createBuildReconciler } from '../../src/builds/build-reconciler.ts';
import { createProjectionBuilds, setBuildStep } from '../../src/builds/transitions.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { nothingParked } from '../support/parked.ts';
import { closings } from '../support/projector-stage.ts';
import { asked, now, stageForEach, startReconciler } from '../support/running-reconciler.ts';

const PAUSE_MS = 200;
/** A timer may end so much earlier than asked. */
const TIMER_MS = 1;

describe('The reconciler of builds, of projections that cannot go on', () => {
  const current = stageForEach();

  it('has a projection begin that could not at first', async () => {
    await current.stage.close('a');
    let failuresLeft = 0;
    const { eventStore } = current.stage;
    const readModels: ReadModelStore = {
      ...current.stage.readModels,
      prepare: (projection) =>
        failuresLeft-- > 0 ? Promise.reject(new Error('no store')) : current.stage.readModels.prepare(projection),
    };
    const registry = openMemoryBuildRegistry();
    const projections = [closings('closed').projection];
    const running = await startReconciler({ registry, eventStore, readModels, projections });
    current.stops.push(running.stop);
    const record = async () => (await registry.all()).get('closed');
    await eventually('it is served', async () => (await record())?.builds[0]?.step === 'ready');
    failuresLeft = 1;
    await createProjectionOperations(registry, projections, nothingParked, now).rebuild(['closed'], asked);
    await eventually('the new one is served', async () => (await record())?.active === 'closed@1.2', 10_000);
  });

  it('takes the builds of others on, while one can lastingly not begin', async () => {
    await current.stage.close('a');
    const { eventStore } = current.stage;
    const readModels: ReadModelStore = {
      ...current.stage.readModels,
      prepare: (projection) =>
        projection.name === 'broken@1.2'
          ? Promise.reject(new Error('no store'))
          : current.stage.readModels.prepare(projection),
    };
    const registry = openMemoryBuildRegistry();
    const projections = [closings('broken').projection, closings('sound').projection];
    const running = await startReconciler({ registry, eventStore, readModels, projections });
    current.stops.push(running.stop);
    const record = async (name: string) => (await registry.all()).get(name);
    for (const name of ['broken', 'sound'])
      await eventually(`${name} is served`, async () => (await record(name))?.builds[0]?.step === 'ready');
    await createProjectionOperations(registry, projections, nothingParked, now).rebuild(['broken', 'sound'], asked);
    await eventually('the sound one', async () => (await record('sound'))?.active === 'sound@1.2', 10_000);
    expect((await record('broken'))?.active).to.equal('broken@1.1');
  });

  it('has no more applied of what was given up than of what never began', async () => {
    const { eventStore, readModels } = current.stage;
    const registry = openMemoryBuildRegistry();
    const projections = [closings('broken').projection, closings('sound').projection];
    for (const { name } of projections)
      await registry.change(name, () => setBuildStep(createProjectionBuilds(name, 1, now()), `${name}@1.1`, 'ready'));
    const kept: string[][] = [];
    const stopping = new AbortController();
    const reconciler = createBuildReconciler({
      registry,
      eventStore,
      readModels,
      projector: {
        keep(wanted) {
          const names = wanted.map(({ projection }) => projection.name);
          kept.push(names);
          return names.includes('broken@1.2') ? Promise.reject(new Error('no store')) : Promise.resolve();
        },
        status: () => [],
        release: () => Promise.resolve(),
        buildAnew: () => undefined,
      },
      projections,
      audited: (_act, perform) => perform(''),
      now,
      onError: () => undefined,
      onBuild: () => undefined,
      notify: () => undefined,
      signal: stopping.signal,
    });
    await reconciler.start();
    const running = reconciler.run();
    current.stops.push(() => {
      stopping.abort();
      return running;
    });

    const operations = createProjectionOperations(registry, projections, nothingParked, now);
    await operations.rebuild(['broken', 'sound'], asked);
    await eventually('what cannot begin was tried', () => kept.at(-1)?.includes('broken@1.2') === true);
    for (const { name } of projections) await operations.cancel(name);
    const served = 'broken@1.1 sound@1.1';
    await eventually('only what is served is applied', () => kept.at(-1)?.join(' ') === served, 10_000);
  });

  it('pauses after a look that failed, and reports after one that works again', async () => {
    const { eventStore, readModels } = current.stage;
    const memory = openMemoryBuildRegistry();
    const failures: number[] = [];
    let reports = 0;
    let isAway = false;
    const registry: BuildRegistry = {
      ...memory,
      all: () => (isAway ? Promise.reject(new Error('no registry')) : memory.all()),
    };
    const running = await startReconciler({
      registry,
      eventStore,
      readModels,
      projections: [closings('closed').projection],
      onError: (name) => name === 'all' && failures.push(performance.now()),
      pauseAfterFailureMs: PAUSE_MS,
      notify: () => reports++,
    });
    current.stops.push(running.stop);

    isAway = true;
    await eventually('two looks have failed', () => failures.length >= 2);

    const [first = 0, second = 0] = failures;
    expect(second - first).to.be.at.least(PAUSE_MS - TIMER_MS);
    const before = reports;
    isAway = false;
    await eventually('it is reported', () => reports > before);
  });

  // Each of 101 events is tried three times.
  it('says of a first build at what it has stopped, until it goes on', async () => {
    const faults = Array.from({ length: 101 }, (_, number) => `faulty-${number}`);
    await current.stage.close(...faults);
    let isFixed = false;
    const { projection } = closings('closed', () => {
      if (!isFixed) throw new Error('cannot be applied');
    });
    const { eventStore, readModels } = current.stage;
    const registry = openMemoryBuildRegistry();
    const running = await startReconciler({ registry, eventStore, readModels, projections: [projection] });
    current.stops.push(running.stop);
    const outcome = async () => {
      const record = (await registry.all()).get('closed');
      return record && buildOutcomeOf(record, 'closed@1.1');
    };
    await eventually('it has stopped', async () => (await outcome())?.kind === 'stopped', 20_000);

    isFixed = true;
    await eventually('it is served', async () => (await outcome())?.kind === 'served', 20_000);
  });
});
