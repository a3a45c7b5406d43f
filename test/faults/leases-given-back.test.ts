import { expect } from 'chai';
import { tabsOfPosting } from '../../projections/parts/tabs.ts';
import { postingCandidates } from '../../projections/posting-candidates.ts';
import { startProjector, type Projector, type ProjectorOptions } from '../../src/projector.ts';
import { eventually } from '../eventually.ts';
import { describeOnMongo } from '../mongodb-stores.ts';
import { postingWorld, type PostingWorld } from './posting-world.ts';

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

  const start = async (eventStore: ProjectorOptions['eventStore']) => {
    const errors: string[] = [];
    const projector = await startProjector({
      eventStore,
      readModels: open(),
      projections: [postingCandidates],
      onError: (_, error) => errors.push(String(error)),
      patience,
    });
    projectors.push(projector);
    const status = () => projector.status()[0];
    return { errors, status, isHolder: () => status()?.isHere === true };
  };
  const counted = async () => (await open().get(tabsOfPosting, 'p1'))?.doc.counts.applied;

  it('is given back when the event store cannot be read, and told; another instance goes on', async () => {
    // Given an instance with the lease, and one that waits
    let isAway = false;
    const away = () => Promise.reject(new Error('the net is down'));
    const { eventStore } = world;
    world.applies(0);
    const one = await start({
      ...eventStore,
      head: () => (isAway ? away() : eventStore.head()),
      async *subscribe(after, options) {
        for await (const batch of eventStore.subscribe(after, options)) {
          // As a connection that is cut and tells nobody: nothing comes any more.
          if (isAway)
            await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
          if (isAway) return;
          yield batch;
        }
      },
    });
    await eventually(
      'the first has the lease and has applied',
      async () => one.isHolder() && (await counted()) === 1,
    );
    const other = await start(eventStore);

    // When it cannot read the event store any more
    isAway = true;
    world.applies(1);

    // Then
    await eventually('the other has the lease', () => other.isHolder());
    await eventually('the other has applied', async () => (await counted()) === 2);
    expect(one.status()?.gaveUp).to.equal('the event store could not be read for 0.4 s');
    expect(one.errors).to.include(
      'Error: The lease was given back: the event store could not be read for 0.4 s',
    );

    // And it may have it again once it can
    isAway = false;
    await eventually('it has given up nothing', () => one.status()?.gaveUp === undefined);
  });

  it('is given back when it does not come on though there is something to apply', async () => {
    // Given a subscription that gives nothing, while the head can be read
    let isStuck = false;
    const { eventStore } = world;
    world.applies(0);
    const one = await start({
      ...eventStore,
      async *subscribe(after, options) {
        for await (const batch of eventStore.subscribe(after, options)) {
          if (isStuck)
            await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
          if (isStuck) return;
          yield batch;
        }
      },
    });
    await eventually(
      'the first has the lease and has applied',
      async () => one.isHolder() && (await counted()) === 1,
    );
    const other = await start(eventStore);

    // When
    isStuck = true;
    world.applies(1);

    // Then
    await eventually('the other has applied', async () => (await counted()) === 2);
    expect(other.isHolder()).to.equal(true);
    expect(one.status()?.gaveUp).to.equal('it did not come on for 0.4 s');
  });
});
