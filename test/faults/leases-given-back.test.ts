import { expect } from 'chai';
import { postingTabsCollection } from '../../projections/parts/posting-tabs.ts';
import { postingCandidates } from '../../projections/posting-candidates.ts';
import { startProjector, type Projector, type ProjectorOptions } from '../../src/projector/projector.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { describeOnMongo } from '../support/mongodb-stores.ts';
import { metadata } from '../support/examples.ts';
import { idsOf, postingWorld, streamOf, type PostingWorld } from './posting-world.ts';

const patience = { unreadableMs: 400, stuckMs: 400 };

describeOnMongo('A lease of an instance that cannot do what it has it for', ({ open }) => {
  let world: PostingWorld;
  const projectors: Projector[] = [];
  beforeEach(() => {
    world = postingWorld();
  });
  afterEach(async () => {
    for (const projector of projectors.splice(0)) await projector.stop();
  });

  const start = async (eventStore: ProjectorOptions['eventStore'], readModels = open()) => {
    const errors: string[] = [];
    const projector = await startProjector({
      eventStore,
      readModels,
      projections: [postingCandidates],
      onError: (_, error) => errors.push(String(error)),
      patience,
      retryAfterMs: { min: 10, max: 50 },
    });
    projectors.push(projector);
    const status = () => projector.status()[0];
    return { errors, status, isHolder: () => status()?.isHere === true };
  };
  const counted = async () => (await open().get(postingTabsCollection, 'p1'))?.doc.counts.applied;

  it('is given back when the event store cannot be read, and told; another instance goes on', async () => {
    // Given an instance with the lease, and one that waits for it
    let isAway = false;
    const away = () => Promise.reject(new Error('the net is down'));
    const { eventStore } = world;
    world.applies(0);
    const one = await start({
      ...eventStore,
      head: () => (isAway ? away() : eventStore.head()),
      async *subscribe(after, options) {
        for await (const batch of eventStore.subscribe(after, options)) {
          // As with a connection that is cut without an error: the subscription gives nothing more.
          if (isAway) await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
          if (isAway) return;
          yield batch;
        }
      },
    });
    await eventually('the first has the lease and has applied', async () => one.isHolder() && (await counted()) === 1);
    const other = await start(eventStore);

    // When the lease holder cannot read the event store any more
    isAway = true;
    world.applies(1);

    // Then
    await eventually('the other has the lease', () => other.isHolder());
    await eventually('the other has applied', async () => (await counted()) === 2);
    expect(one.status()?.gaveUp).to.equal('the event store could not be read for 0.4 s');
    expect(one.errors).to.include('Error: The lease was given back: the event store could not be read for 0.4 s');

    // And it may take the lease again once it can
    isAway = false;
    await eventually('it has given up nothing', () => one.status()?.gaveUp === undefined);
  });

  it('is given back when it does not come on though there is something to apply', async () => {
    // Given a lease holder whose subscription gives nothing, while it can read the head
    let isStuck = false;
    const { eventStore } = world;
    world.applies(0);
    const one = await start({
      ...eventStore,
      async *subscribe(after, options) {
        for await (const batch of eventStore.subscribe(after, options)) {
          if (isStuck) await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
          if (isStuck) return;
          yield batch;
        }
      },
    });
    await eventually('the first has the lease and has applied', async () => one.isHolder() && (await counted()) === 1);
    const other = await start(eventStore);

    // When
    isStuck = true;
    world.applies(1);

    // Then
    await eventually('the other has applied', async () => (await counted()) === 2);
    expect(other.isHolder()).to.equal(true);
    expect(one.status()?.gaveUp).to.equal('it made no progress for 0.4 s');
  });

  for (const [what, faulty] of [
    ['store anything', (store: ReadModelStore) => ({ ...store, commit: () => fail() })],
    ['begin', (store: ReadModelStore) => ({ ...store, prepare: () => fail() })],
  ] as const)
    it(`is given back when it cannot ${what}, however often it tries`, async () => {
      // Given a lease holder whose every attempt fails
      world.applies(0);
      const one = await start(world.eventStore, faulty(open()));
      await eventually('it has failed', () => one.errors.length > 0);

      // When another instance starts
      const other = await start(world.eventStore);

      // Then that instance takes over
      await eventually('the other has applied', async () => (await counted()) === 1);
      expect(other.isHolder()).to.equal(true);
      expect(one.status()?.gaveUp).to.equal('it made no progress for 0.4 s');
    });

  it('is kept when there is something to apply again after a long time without', async () => {
    // Given a lease holder that has been idle for longer than the time after which a stuck one gives up
    const { eventStore } = world;
    let isSeen: (() => void) | undefined;
    world.applies(0);
    const one = await start({
      ...eventStore,
      head() {
        isSeen?.();
        return eventStore.head();
      },
      async *subscribe(after, options) {
        for await (const batch of eventStore.subscribe(after, options)) {
          if (batch.events.some(({ revision }) => revision > 0)) {
            // Has the watch see the new head before the projection gets the event.
            await new Promise<void>((resolve) => (isSeen = resolve));
          }
          yield batch;
        }
      },
    });
    await eventually('it has applied', async () => (await counted()) === 1);
    const since = performance.now();
    await eventually('it has been idle for long', () => performance.now() - since > 3 * patience.stuckMs);

    // When there is an event to apply
    const hired = { id: 'hired', type: 'CandidateHired', version: 1, data: idsOf(0), metadata };
    await eventStore.append({ stream: streamOf(0), expectedRevision: 0, events: [hired] });
    await eventually('it is applied', () => one.status()?.position === '000002');

    // Then
    expect(one.errors).to.deep.equal([]);
    expect(one.isHolder()).to.equal(true);
  });
});

const fail = (): Promise<never> => Promise.reject(new Error('the store is sick'));
