import { expect } from 'chai';
import type { DomainEvent } from '../../src/domain/index.ts';
import { postingCandidatesCollection, postingCandidates } from '../../projections/posting-candidates.ts';
import { postingTabsCollection } from '../../projections/parts/posting-tabs.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { startProjector, type Projector } from '../../src/projector/projector.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { describeOnMongo } from '../support/mongodb-stores.ts';
import { idsOf, postingWorld, streamOf, type PostingWorld } from './posting-world.ts';

const NAME = postingCandidates.name;
const now = '2026-03-01T09:30:00.000Z';
/** More rows than the projector caches, and than one transaction takes. */
const ROWS = 7_000;

/**
 * Where a process dies: at its n-th commit, before MongoDB has carried it out, or before the process learns of that.
 */
interface Death {
  readonly commit: number;
  readonly when: 'before' | 'after';
}

describeOnMongo('What a projector stores in MongoDB', ({ open }) => {
  let world: PostingWorld;
  const projectors: Projector[] = [];
  beforeEach(() => {
    world = postingWorld();
  });
  afterEach(async () => {
    for (const projector of projectors.splice(0)) await projector.stop().catch(() => undefined);
  });

  const start = async (readModels: ReadModelStore, projection: Projection = postingCandidates) => {
    const projector = await startProjector({
      eventStore: world.eventStore,
      readModels,
      projections: [projection],
      onError: () => undefined,
      parkedAt: () => now,
      retryAfterMs: { min: 10, max: 100 },
    });
    projectors.push(projector);
    return projector;
  };
  const isAt = (projector: Projector, position: string) => projector.status()[0]?.position === position;
  const head = () => world.eventStore.head();
  const caughtUp = async (projector: Projector) => {
    const position = await head();
    await eventually(`all up to ${position} is stored`, () => isAt(projector, position), 60_000);
  };
  const applyAll = async () => {
    const store = open();
    const projector = await start(store);
    await caughtUp(projector);
    await projector.stop();
  };
  /** Runs a process that dies at one of its commits, or applies all events; resolves to whether it died. */
  const applyUntil = async ({ commit, when }: Death): Promise<boolean> => {
    const store = open();
    let [count, isDead] = [0, false];
    const dead = () => Promise.reject(new Error('killed'));
    const projector = await start({
      ...store,
      prepare: (projection) => (isDead ? dead() : store.prepare(projection)),
      async commit(...args) {
        if (isDead) return dead();
        isDead = ++count === commit;
        if (!isDead || when === 'after') await store.commit(...args);
        if (isDead) return dead();
      },
    });
    const position = await head();
    await eventually('it is dead or done', () => isDead || isAt(projector, position), 60_000);
    await projector.stop();
    return isDead;
  };
  const shown = async (number: number) => {
    const store = open();
    const row = (await store.get(postingCandidatesCollection, idsOf(number).candidateId))?.doc;
    return {
      interviews: row?.candidate.interviewsCount,
      status: row?.officeStatus,
      closed: row?.others.closing !== null,
      counts: (await store.get(postingTabsCollection, 'p1'))?.doc.counts,
    };
  };

  for (const when of ['before', 'after'] as const)
    it(`is there once when the process is killed ${when === 'before' ? 'before' : 'just after'} any commit of an event that touches ${ROWS} rows`, async function () {
      this.timeout(240_000);
      // Given a posting with many candidates
      world.records('as it was');
      for (let number = 0; number < ROWS; number++) world.applies(number);
      await applyAll();

      // When it is revised, has an interview and closes, and each process dies one commit later than the last
      world.records('as it is');
      world.interviews(0);
      world.closes();
      let deaths = 0;
      for (let commit = 1; await applyUntil({ commit, when }); commit++) deaths++;
      expect(deaths).to.be.greaterThan(2);

      // Then
      expect(await shown(0)).to.deep.equal({
        interviews: 1,
        status: 'scheduled',
        closed: true,
        counts: { applied: ROWS - 1, scheduled: 1, interviewed: 0, hired: 0, rejected: 0 },
      });
      expect((await shown(ROWS - 1)).closed).to.equal(true);
    });

  for (const when of ['before', 'after'] as const)
    it(`is released once when the commit of a retry fails ${when} it is stored`, async () => {
      // Given a candidate whose stream is parked because of a bug
      let isBroken = true;
      const { InterviewScheduled: handle } = postingCandidates.handlers;
      const projection: Projection<DomainEvent> = {
        ...postingCandidates,
        handlers: {
          ...postingCandidates.handlers,
          InterviewScheduled: (event, documents) => {
            if (isBroken || !handle) throw new Error('a bug');
            handle(event, documents);
          },
        },
      };
      world.applies(0);
      const event = `e${world.interviews(0)}`;
      world.hires(0);
      const store = open();
      let fails = false;
      const projector = await start(
        {
          ...store,
          async commit(...args) {
            if (!fails) return store.commit(...args);
            fails = false;
            if (when === 'after') await store.commit(...args);
            throw new Error('MongoDB does not answer');
          },
        },
        projection,
      );
      await caughtUp(projector);
      const release = { number: 1, stream: streamOf(0), revision: 1, event, kind: 'retry' } as const;
      const isParked = () => (projector.status()[0]?.parked ?? []).length > 0;
      expect(isParked()).to.equal(true);

      // When the bug is fixed, and the first retry fails
      isBroken = false;
      fails = true;
      expect(await projector.release(NAME, release).catch(String)).to.equal('Error: MongoDB does not answer');
      await eventually('it is released', async () => {
        await projector.release(NAME, release).catch(() => undefined);
        return !isParked();
      });

      // Then
      expect(await shown(0)).to.deep.include({
        interviews: 1,
        status: 'hired',
        counts: { applied: 0, scheduled: 0, interviewed: 0, hired: 1, rejected: 0 },
      });
    });

  it('goes on where it was when a commit fails while all is built from zero in the order of the log', async () => {
    // Given a store that does not answer one commit
    for (let number = 0; number < 2_000; number++) world.applies(number);
    const store = open();
    const [positions, resets]: [string[], string[]] = [[], []];
    const { shared: _, ...inOrder } = postingCandidates;
    const projector = await startProjector({
      eventStore: world.eventStore,
      projections: [inOrder],
      onError: () => undefined,
      retryAfterMs: { min: 10, max: 100 },
      batchSize: 100,
      maxDocuments: 200,
      readModels: {
        ...store,
        commit(projection, writes, checkpoint) {
          positions.push(checkpoint.position);
          if (positions.length === 8) return Promise.reject(new Error('MongoDB does not answer'));
          return store.commit(projection, writes, checkpoint);
        },
        reset(projection) {
          resets.push(projection.name);
          return store.reset(projection);
        },
      },
    });
    projectors.push(projector);

    // Then what was stored stays, and only the rest is applied
    await caughtUp(projector);
    expect(resets).to.deep.equal([]);
    expect((positions[8] ?? '') > (positions[6] ?? '')).to.equal(true);
    expect((await shown(0)).counts?.applied).to.equal(2_000);
  });
});
