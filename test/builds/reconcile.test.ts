import { expect } from 'chai';
import { toBuildProjection } from '../../src/projector/build-projection.ts';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import { createProjectionBuilds, beginRebuild, setBuildStep, activateBuild } from '../../src/builds/transitions.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { checkpointsOf } from '../support/parked.ts';
import { closings, closing } from '../support/projector-stage.ts';
import { asked, now, stageForEach, startReconciler } from '../support/running-reconciler.ts';

describe('The reconciler of builds', () => {
  const current = stageForEach();

  it('does not take an empty log for caught up with before what is served has begun, where others may project', async () => {
    // Given leases that this process holds, and a slow store
    const gate = current.stage.gate();
    const { eventStore, readModels } = current.stage;
    const held = { isHeld: true, holder: 'us', since: now(), position: START_POSITION, parked: [] };
    const shared: ReadModelStore = {
      ...readModels,
      async prepare(projection) {
        await gate.opened;
        return readModels.prepare(projection);
      },
      leases: {
        keep: (names) => Promise.resolve(new Map(names.map((name) => [name, held]))),
        release: () => Promise.resolve(),
      },
    };
    const registry = openMemoryBuildRegistry();
    let looks = 0;
    const counting = { ...registry, all: () => (looks++, registry.all()) };
    const projections = [closings('closed').projection];

    // When it starts
    const running = await startReconciler({ registry: counting, eventStore, readModels: shared, projections });
    current.stops.push(running.stop);
    await eventually('it has looked several times', () => looks > 5);

    // Then it is caught up only once the served build has begun
    expect(running.isCaughtUp()).to.equal(false);
    gate.open();
    await eventually('it is caught up', () => running.isCaughtUp());
  });

  it('is caught up only once the build registry says that the first build is complete, as a verification needs', async () => {
    // Given a build registry that is slow to take it
    const gate = current.stage.gate();
    const registry = openMemoryBuildRegistry();
    const slow: typeof registry = {
      ...registry,
      async change(name, act) {
        const isThere = (await registry.all()).has(name);
        if (isThere) await gate.opened;
        return registry.change(name, act);
      },
    };
    const { eventStore, readModels } = current.stage;
    const position = await current.stage.close('a');
    const projections = [closings('closed').projection];

    // When the first build has reached the head
    const running = await startReconciler({ registry: slow, eventStore, readModels, projections });
    current.stops.push(running.stop);
    const stored = async () => (await readModels.checkpointOf('closed@1.1'))?.position;
    await eventually('it is there', async () => (await stored()) === position);

    // Then it is caught up when that is registered
    expect(running.isCaughtUp()).to.equal(false);
    gate.open();
    await eventually('it is caught up', () => running.isCaughtUp());
    expect((await registry.all()).get('closed')?.builds[0]?.step).to.equal('ready');
  });

  it('does not take a build that has only just begun for one that has reached the head of the log', async () => {
    // Given a projection that is served
    const registry = openMemoryBuildRegistry();
    const { eventStore, readModels } = current.stage;
    const old = closings('closed').projection;
    await current.stage.close('a', 'b');
    const before = await startReconciler({ registry, eventStore, readModels, projections: [old] });
    const record = async () => (await registry.all()).get('closed');
    await eventually('it is complete', async () => (await record())?.builds[0]?.step === 'ready');
    await before.stop();

    // When code of a newer version starts, whose build is slow
    const gate = current.stage.gate();
    const newer = { ...closings('closed', () => gate.opened).projection, version: 2 };
    let looks = 0;
    const counting = { ...registry, all: () => (looks++, registry.all()) };
    const after = await startReconciler({ registry: counting, eventStore, readModels, projections: [newer] });
    await eventually('it has looked several times', () => looks > 5);

    // Then the active build is served until the standby build is ready
    expect((await record())?.active).to.equal('closed@1.1');
    gate.open();
    await eventually('the new one is served', async () => (await record())?.active === 'closed@2.2');
    await after.stop();
  });

  it('applies what a stream holds before the event at which it is parked, though its first commit failed', async () => {
    // Given a stream whose second event cannot be applied, and a store whose first commit fails
    const registry = openMemoryBuildRegistry();
    const { eventStore, readModels } = current.stage;
    let applied = 0;
    const { projection } = closings('closed', () => {
      if (++applied > 1) throw new Error('cannot apply it');
    });
    await closeTwice('a');
    let failuresLeft = 1;
    const failing: ReadModelStore = {
      ...readModels,
      commit(...call) {
        if (failuresLeft-- <= 0) return readModels.commit(...call);
        applied = 0;
        return Promise.reject(new Error('no store'));
      },
    };

    // When a projector applies the stream
    const projections = [projection];
    const running = await startReconciler({ registry, eventStore, readModels: failing, projections });
    const build = async () => (await registry.all()).get('closed')?.builds[0];
    await eventually('it is complete', async () => (await build())?.step === 'ready');

    // Then only the poison event is missing
    const [own] = toBuildProjection(projection, 'closed@1.1').collections;
    const found = own ? await readModels.find(own, { filter: {} }) : [];
    expect(found.map(({ id }) => id)).to.deep.equal(['a-1']);
    const parked = (await readModels.checkpointOf('closed@1.1'))?.parked ?? [];
    expect(parked.map(({ revision }) => revision)).to.deep.equal([1]);
    await running.stop();
  });

  const closeTwice = async (posting: string) => {
    const events = [1, 2].map((number) => closing(`${posting}-${number}`, `${posting}-${number}`));
    await current.stage.eventStore.append({ stream: `posting-${posting}`, expectedRevision: -1, events });
  };

  /** A served projection, in a process that applies one event at a time. */
  const serving = async (projection: Projection) => {
    const registry = openMemoryBuildRegistry();
    const { eventStore, readModels } = current.stage;
    const projections = [projection];
    const running = await startReconciler({ registry, eventStore, readModels, projections, batchSize: 1 });
    current.stops.push(running.stop);
    const record = async () => (await registry.all()).get(projection.name);
    await eventually('it is served', async () => (await record())?.builds[0]?.step === 'ready');
    const checkpoints = checkpointsOf(registry, readModels);
    const parkedIn = async (id: string) => (await checkpoints()).get(id)?.parked.map(({ stream }) => stream);
    return { entry: record, parkedIn, operations: createProjectionOperations(registry, projections, checkpoints, now) };
  };

  it('has a build that is under way go at the pace that was asked for last', async () => {
    // Given a rebuild that would take minutes
    await current.stage.close(...Array.from({ length: 300 }, (_, index) => `p${index}`));
    const { projection, given } = closings('closed');
    const { entry: record, operations } = await serving(projection);
    given.length = 0;
    await operations.rebuild(['closed'], { ...asked, throttle: 1 });
    await eventually('it is under way', () => given.length > 0);

    // When an operator asks for it again, without a throttle
    await operations.rebuild(['closed'], asked);

    // Then it is over soon
    await eventually('it is served', async () => (await record())?.active === 'closed@1.2', 10_000);
  });

  it('has only the stream of an event parked that cannot be applied, in a build that was strict until it was served', async () => {
    // Given a finished strict rebuild
    await current.stage.close('a');
    const { projection } = closings('closed', (postingId) => {
      if (postingId === 'bad-1') throw new Error('cannot apply it');
    });
    const { entry: record, parkedIn, operations } = await serving(projection);
    await operations.rebuild(['closed'], asked);
    await eventually('it is served', async () => (await record())?.active === 'closed@1.2');

    // When a poison event comes
    await closeTwice('bad');
    const head = await current.stage.close('b');

    // Then the projection goes on with all other streams
    const isThere = async () => (await current.stage.readModels.checkpointOf('closed@1.2'))?.position === head;
    await eventually('the rest is applied', isThere);
    expect(await parkedIn('closed@1.2')).to.deep.equal(['posting-bad']);
  });

  it('has a build go on that was strict at first, and is asked for again so that only streams are parked', async () => {
    // Given a strict rebuild under way, with a poison event further on in the event log
    await current.stage.close(...Array.from({ length: 20 }, (_, index) => `p${index}`));
    await closeTwice('bad');
    const gate = current.stage.gate();
    let isServed = false;
    const { projection } = closings('closed', (postingId) => {
      if (postingId === 'bad-1') throw new Error('cannot apply it');
      return isServed && postingId === 'p9' ? gate.opened : undefined;
    });
    const { entry: record, parkedIn, operations } = await serving(projection);
    isServed = true;
    await operations.rebuild(['closed'], asked);
    const rebuilding = async () => (await record())?.builds.find(({ id }) => id === 'closed@1.2');
    await eventually('it is under way', async () => (await rebuilding())?.progress != null);

    // When an operator asks for it again, tolerant
    await operations.rebuild(['closed'], { ...asked, isStrict: false });
    gate.open();

    // Then it is served, and that stream is parked
    await eventually('it is served', async () => (await record())?.active === 'closed@1.2', 10_000);
    expect(await parkedIn('closed@1.2')).to.deep.equal(['posting-bad']);
  });

  // Each of 101 events is tried three times, with pauses.
  it('stops a tolerant build of which more than a hundred streams would be parked', async () => {
    const { projection } = closings('closed', () => {
      if (isBroken) throw new Error('cannot apply it');
    });
    let isBroken = false;
    await current.stage.close(...Array.from({ length: 101 }, (_, index) => `p${index}`));
    const { entry: record, operations } = await serving(projection);
    isBroken = true;
    await operations.rebuild(['closed'], { ...asked, isStrict: false });
    const step = async () => (await record())?.builds.find(({ id }) => id === 'closed@1.2')?.step;
    await eventually('it has stopped', async () => (await step()) === 'stopped', 20_000);
  });
});

describe('A step of a build', () => {
  it('that comes late does not undo that it is served', () => {
    const now = '2026-03-01T09:30:00.000Z';
    const options = { throttle: null, keepHours: 0, isApproved: false, isStrict: true };
    const first = setBuildStep(createProjectionBuilds('closed', 1, now), 'closed@1.1', 'ready');
    const served = activateBuild(beginRebuild(first, 1, options, now), 'closed@1.2', now);
    expect(setBuildStep(served, 'closed@1.2', 'verify')).to.equal(served);
  });
});
