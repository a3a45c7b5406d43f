import { expect } from 'chai';
import { collectionMapperOf } from '../../src/projector/build-projection.ts';
import type { Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import type { BuildRegistry } from '../../src/builds/registry.ts';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { checkpointsOf } from '../support/parked.ts';
import { closings } from '../support/projector-stage.ts';
import { officeNames, offices, recordOffice } from '../support/quarantine-stage.ts';
import { asked, now, stageForEach, startReconciler, type ReconcilerRunOptions } from '../support/running-reconciler.ts';

describe('The reconciler of builds, however late it looks at the build registry', () => {
  const current = stageForEach();
  let registry: BuildRegistry;
  beforeEach(() => (registry = openMemoryBuildRegistry()));

  const start = async (projection: Projection, more: Partial<ReconcilerRunOptions> = {}) => {
    const { eventStore, readModels } = current.stage;
    const projections = [projection];
    const running = await startReconciler({ registry, eventStore, readModels, projections, ...more });
    current.stops.push(running.stop);
    const operations = createProjectionOperations(registry, projections, checkpointsOf(registry, readModels), now);
    return { operations, wake: running.wake, isServed: () => eventually('it is served', () => running.isCaughtUp()) };
  };
  const activeIs = (name: string, id: string) =>
    eventually(`${id} is served`, async () => (await registry.all()).get(name)?.active === id, 10_000);
  /** What a build shows when it becomes the active one. */
  const shownWhenServed = <T>(id: string, show: () => Promise<T>) => {
    const seen: T[] = [];
    const watched: BuildRegistry = {
      ...registry,
      async change(name, act) {
        const before = (await registry.all()).get(name);
        const record = await registry.change(name, act);
        if (record.active === id && before?.active !== id) seen.push(await show());
        return record;
      },
    };
    return { seen, watched };
  };

  it('serves a build once what was asked for about its parked streams is done in it', async () => {
    // Given a stream that is parked in what is served and in a rebuild, which were compared and are the same
    const { stage } = current;
    const [compared, gate] = [stage.gate(), stage.gate()];
    const readModels: ReadModelStore = {
      ...stage.readModels,
      scan: (...args) => (compared.open(), stage.readModels.scan(...args)),
      async checkpointOf(id) {
        if (isCompared) await gate.opened;
        return stage.readModels.checkpointOf(id);
      },
    };
    let isCompared = false;
    void compared.opened.then(() => (isCompared = true));
    let isMended = false;
    const { projection } = officeNames((name) => !isMended && name === 'bad');
    await recordOffice(stage.eventStore, 'a', 'one', 'bad');
    const namesIn = async (id: string) => (await stage.readModels.get(collectionMapperOf(id)(offices), 'a'))?.doc.names;
    const { seen, watched } = shownWhenServed('office-names@1.2', () => namesIn('office-names@1.2'));
    const { operations, isServed } = await start(projection, { registry: watched, readModels });
    await isServed();
    await operations.rebuild(['office-names'], { ...asked, isApproved: false, isStrict: false });
    await compared.opened;

    // When the handler is mended, and the stream is applied again in what is served
    isMended = true;
    await operations.retry('office-names', undefined);
    await eventually('it is there', async () => (await namesIn('office-names@1.1'))?.length === 2);
    gate.open();

    // Then nobody sees less when the rebuild is served
    await activeIs('office-names', 'office-names@1.2');
    expect(seen).to.deep.equal([['one', 'bad']]);
  });

  it('serves a build of a new version once it has what is served has, though the log ended before that at the last look', async () => {
    // Given a build of a new version whose process looks late, and what is served by another process
    const { stage } = current;
    await stage.close('a');
    const { isServed } = await start(closings('closed').projection);
    await isServed();
    const [built, gate, look] = [stage.gate(), stage.gate(), stage.gate()];
    const { projection } = closings('closed', (id) => (id === 'a' ? built.opened : gate.opened));
    const positionOf = async (id: string) => (await stage.readModels.checkpointOf(id))?.position;
    const both = async () => [await positionOf('closed@1.1'), await positionOf('closed@2.2')];
    const { seen, watched } = shownWhenServed('closed@2.2', both);
    let looks = 0;
    const late: BuildRegistry = {
      ...watched,
      async all() {
        if (looks++ > 0) await look.opened;
        return registry.all();
      },
    };
    await start({ ...projection, version: 2 }, { registry: late });
    built.open();
    await eventually('it is built', async () => (await positionOf('closed@2.2')) !== undefined);

    // When the new build is slow with an event that is in what is served
    const head = await stage.close('b');
    await eventually('it is served', async () => (await positionOf('closed@1.1')) === head);
    look.open();
    await eventually('it has looked again', () => looks > 5);
    gate.open();

    // Then it is served once it has that event
    await activeIs('closed', 'closed@2.2');
    expect(seen).to.deep.equal([[head, head]]);
  });

  it('drops a build once nothing applies it any more, though it learns late that it was given up', async () => {
    // Given a rebuild under way, which stores each document
    const { stage } = current;
    await stage.close(...Array.from({ length: 300 }, (_, index) => `p${index}`));
    const { projection } = closings('closed');
    let isDropped = false;
    const late: string[] = [];
    const readModels: ReadModelStore = {
      ...stage.readModels,
      commit(...call) {
        if (isDropped && call[0].name === 'closed@1.2') late.push(call[2].position);
        return stage.readModels.commit(...call);
      },
      drop: (id) => ((isDropped = true), stage.readModels.drop(id)),
    };
    let hours = 0;
    const later = () => new Date(Date.now() + hours * 3_600_000).toISOString();
    const sizes = { batchSize: 1, maxDocuments: 1 };
    const { operations, isServed } = await start(projection, { readModels, now: later, ...sizes });
    await isServed();
    await operations.rebuild(['closed'], { ...asked, throttle: 100 });
    await eventually('it is begun', async () => (await readModels.checkpointOf('closed@1.2')) !== undefined);

    // When it is given up, and the time that others have to learn of it is over
    await operations.cancel('closed');
    hours = 1;

    // Then it is dropped, and nothing of it is stored after that
    const builds = async () => (await registry.all()).get('closed')?.builds.length;
    await eventually('it is forgotten', async () => (await builds()) === 1);
    await stage.close('b');
    await eventually('what is served goes on', async () => (await positionIs('closed@1.1')) === 301);
    expect(late).to.deep.equal([]);
    expect(await readModels.checkpointOf('closed@1.2')).to.equal(undefined);
  });
  const positionIs = async (id: string) => Number((await current.stage.readModels.checkpointOf(id))?.position);

  it('does all that was asked for once it is woken, though it would not look again by itself', async () => {
    await current.stage.close('a');
    const { operations, wake, isServed } = await start(closings('closed').projection, { idleMs: 2 ** 31 - 1 });
    await isServed();
    await operations.rebuild(['closed'], asked);
    wake();
    await activeIs('closed', 'closed@1.2');
  });

  it('has a build go on that an operator asks for again, as a poison event stops it', async () => {
    // Given a strict rebuild with a poison event, which is asked for again, tolerant, just before it is stopped
    await current.stage.close('a', 'bad');
    const { projection } = closings('closed', (id) => {
      if (id === 'bad') throw new Error('cannot apply it');
    });
    let isAsked = false;
    const watched: BuildRegistry = {
      ...registry,
      async change(name, act) {
        const after = act((await registry.all()).get(name));
        if (!isAsked && after.builds.some(({ step }) => step === 'stopped')) {
          isAsked = true;
          await operations.rebuild(['closed'], { ...asked, isStrict: false });
        }
        return registry.change(name, act);
      },
    };
    const { operations, isServed } = await start(projection, { registry: watched });
    await isServed();

    // When it is built
    await operations.rebuild(['closed'], asked);

    // Then it parks the stream, and is served
    await activeIs('closed', 'closed@1.2');
    expect(isAsked).to.equal(true);
  });
});
