import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import {
  NO_STREAM,
  START_POSITION,
  type EventData,
  type EventStore,
  type Position,
} from '../../src/event-store/port.ts';
import { closing, closings, LONG_MS, newStage, statusOf, until, type Stage } from '../support/projector-stage.ts';
import { defineCollection, type Collection, type ReadModelStore } from '../../src/read-models/port.ts';
import { now, officeNames, offices, recordOffice, releaseOf } from '../support/quarantine-stage.ts';
import { decodeDomainEvent, type DomainEvent } from '../../src/domain/index.ts';
import { handlerOf, type ProjectionDocuments, type Projection } from '../../src/projector/projection.ts';

const tally = defineCollection<{ readonly count: number }>({ name: 'tally', partition: 'id', indexes: [] });

/** The event that a professional took a posting off the list, which is in the professional's group. */
const unsaving = (id: string): EventData => ({
  ...closing(id, `unsaving of ${id}`),
  type: 'PostingUnsaved',
  data: { professionalId: id, postingId: id },
});

/** Keeps who took a posting off the list, as `closings` keeps which postings closed. */
const grouped = (...args: Parameters<typeof closings>) => {
  const { projection, ...rest } = closings(...args);
  const handlers: Projection<DomainEvent>['handlers'] = {
    PostingUnsaved({ data: { postingId }, metadata }, documents) {
      const event: DomainEvent = { type: 'PostingClosed', data: { postingId }, metadata };
      handlerOf(projection, event.type)?.(event, documents);
    },
  };
  return { ...rest, projection: { ...projection, shared: [], handlers } };
};

/** The same projection, which fails at the first event that it gets. */
const failingOnce = (projection: Projection): Projection => {
  let hasFailed = false;
  const handlers = Object.keys(projection.handlers).map((type) => [
    type,
    (event: DomainEvent, documents: ProjectionDocuments) => {
      const failsNow = !hasFailed;
      hasFailed = true;
      if (failsNow) throw new Error('not at once');
      handlerOf(projection, type)?.(event, documents);
    },
  ]);
  return { ...projection, handlers: Object.fromEntries(handlers) as Projection['handlers'] };
};

describe('projector', () => {
  let stage: Stage;
  let afters: Position[];
  beforeEach(() => {
    stage = newStage();
    afters = [];
  });
  afterEach(() => stage.end());

  /** Has professionals each take a posting off the list; gives the position of the last event. */
  const unsave = async (...ids: readonly string[]): Promise<Position> => {
    let position = START_POSITION;
    for (const id of ids) {
      const stream = `posting-${id}`;
      const events = [unsaving(id)];
      const result = await stage.eventStore.append({ stream, expectedRevision: NO_STREAM, events });
      if (result.kind === 'appended') position = result.position;
    }
    return position;
  };

  /** The stage's store, which records subscriptions; its group reads end only once `end` resolves. */
  const watched = (end = Promise.resolve()): EventStore => ({
    ...stage.eventStore,
    subscribe(after, options) {
      afters.push(after);
      return stage.eventStore.subscribe(after, options);
    },
    async *readGroups(read, signal) {
      yield* stage.eventStore.readGroups(read, signal);
      await end;
    },
  });

  describe('when a projection that is grouped starts from nothing', () => {
    it('builds what there is group by group, and follows the log from there', async () => {
      const { projection, given, closed } = grouped('all');
      const head = await unsave('b', 'a');
      const projector = await stage.start([projection], { eventStore: watched(), batchSize: 1 });
      expect(await projector.reached(['all'], head, LONG_MS)).to.equal(true);
      expect(given).to.deep.equal(['a', 'b']);
      expect(await projector.reached(['all'], await unsave('c'), LONG_MS)).to.equal(true);
      expect(given).to.deep.equal(['a', 'b', 'c']);
      expect(await closed(stage.readModels)).to.deep.equal(['a', 'b', 'c']);
      expect(afters).to.deep.equal([head]);
    });

    it('shows nothing and leaves no checkpoint before all is built', async () => {
      const { open, opened } = stage.gate();
      const { projection } = grouped('all');
      const head = await unsave('b', 'a');
      const projector = await stage.start([projection], { eventStore: watched(opened), batchSize: 1 });
      expect(await projector.reached(['all'], head, 1)).to.equal(false);
      expect(statusOf(projector, 'all')).to.include({ position: START_POSITION });
      open();
      expect(await projector.reached(['all'], head, LONG_MS)).to.equal(true);
    });

    it('stores what is built as often as that is due, also beside one that has nothing to store', async () => {
      const slow = grouped('slow');
      const idle = grouped('idle');
      const nothing = { ...idle.projection, handlers: { SpecialtyRecorded: () => undefined } };
      let commits = 0;
      const readModels: ReadModelStore = {
        ...stage.readModels,
        commit(...args) {
          if (args[0].name === 'slow') commits++;
          return stage.readModels.commit(...args);
        },
      };
      const head = await unsave(...Array.from({ length: 200 }, (_, number) => `p${number}`));
      const startedAt = performance.now();
      const eventStore: EventStore = {
        ...stage.eventStore,
        async *readGroups(read, signal) {
          for await (const batch of stage.eventStore.readGroups(read, signal)) {
            await delay(1);
            yield batch;
          }
        },
      };
      const projector = await stage.start([slow.projection, nothing], {
        eventStore,
        readModels,
        batchSize: 1,
        storeEveryMs: 50,
      });
      expect(await projector.reached(['slow', 'idle'], head, LONG_MS)).to.equal(true);
      const due = (performance.now() - startedAt) / 50;
      // One more commit of what was made last, and one when all is built.
      expect(commits)
        .to.be.within(2, due + 2)
        .and.be.below(200);
    });

    it('leaves a stream alone that is released meanwhile, and applies what it waited with later', async () => {
      // Given a slow first build, during which a stream is parked
      const { open, opened } = stage.gate();
      let isMended = false;
      const { projection, given, closed } = grouped('all', (postingId) => {
        if (postingId === 'held' && !isMended) throw new Error('cannot apply it');
      });
      const parked = async () => (await stage.readModels.checkpointOf('all'))?.parked.length;
      const head = await unsave('last', 'held');
      const projector = await stage.start([projection], {
        eventStore: watched(opened),
        parkedAt: () => now,
        batchSize: 1,
      });
      await until(() => given.at(-1) === 'last');

      // When an operator releases the stream meanwhile
      isMended = true;
      const early = projector.release('all', releaseOf('posting-held', 'unsaving of held'));
      open();
      await early;
      expect(await projector.reached(['all'], head, LONG_MS)).to.equal(true);

      // Then it stays parked until it is released again
      expect(await closed(stage.readModels)).to.deep.equal(['last']);
      expect(await parked()).to.equal(1);
      await projector.release('all', releaseOf('posting-held', 'unsaving of held'));
      expect(await closed(stage.readModels)).to.deep.equal(['held', 'last']);
      expect(await parked()).to.equal(0);
    });

    it('leaves a projection alone that has a checkpoint', async () => {
      const [old, fresh] = [grouped('old'), grouped('fresh')];
      const first = await stage.start([old.projection]);
      await first.reached(['old'], await unsave('b'), LONG_MS);
      await first.stop();
      const head = await unsave('a');
      const second = await stage.start([old.projection, fresh.projection], { eventStore: watched() });
      expect(await second.reached(['old', 'fresh'], head, LONG_MS)).to.equal(true);
      expect(old.given).to.deep.equal(['b', 'a']);
      expect(fresh.given).to.deep.equal(['a', 'b']);
    });

    it('reads no groups when no projection starts from nothing', async () => {
      const { projection } = grouped('all');
      const first = await stage.start([projection]);
      await first.reached(['all'], await unsave('a'), LONG_MS);
      await first.stop();
      const head = await unsave('b');
      const eventStore: EventStore = {
        ...stage.eventStore,
        readGroups: () => {
          throw new Error('The groups are not to be read');
        },
      };
      const second = await stage.start([projection], { eventStore });
      expect(await second.reached(['all'], head, LONG_MS)).to.equal(true);
      expect(stage.errors).to.deep.equal([]);
    });

    it('goes on after what is stored when building failed, and the others do not wait for it', async () => {
      let failuresLeft = 1;
      const faulty = grouped('faulty', (postingId) => {
        if (postingId === 'b' && failuresLeft-- > 0) throw new Error('not yet');
      });
      const sound = grouped('sound');
      const head = await unsave('b', 'a');
      const projector = await stage.start([faulty.projection, sound.projection], {
        eventStore: watched(),
        readModels: { ...stage.readModels, maxInserted: 1 },
        batchSize: 1,
      });
      expect(await projector.reached(['faulty', 'sound'], head, LONG_MS)).to.equal(true);
      expect(faulty.given).to.deep.equal(['a', 'b', 'b']);
      expect(sound.given).to.deep.equal(['a', 'b']);
      expect(statusOf(projector, 'faulty')).to.include({ errors: 1, lastError: undefined });
      expect(await faulty.closed(stage.readModels)).to.deep.equal(['a', 'b']);
    });

    it('goes on alone after it failed, of groups that only those read with which it was built', async () => {
      // Given projections of different groups, each of which fails at its first event
      const postings = failingOnce(grouped('postings').projection);
      const names = failingOnce({ ...officeNames(() => false).projection, shared: [] });
      await unsave('a', 'b');
      const head = await recordOffice(stage.eventStore, 'o', 'one', 'two');

      // When they are built together, and stored at each event
      const projector = await stage.start([postings, names], { eventStore: watched(), batchSize: 1, storeEveryMs: 0 });

      // Then
      expect(await projector.reached([postings.name, names.name], head, LONG_MS)).to.equal(true);
      expect((await stage.readModels.get(offices, 'o'))?.doc.names).to.deep.equal(['one', 'two']);
      expect(stage.errors.filter((error) => !error.includes('not at once'))).to.deep.equal([]);
    });

    it('begins anew when building failed before anything was stored', async () => {
      let failuresLeft = 1;
      const { projection, given, closed } = grouped('faulty', (postingId) => {
        if (postingId === 'b' && failuresLeft-- > 0) throw new Error('not yet');
      });
      const head = await unsave('b', 'a');
      const projector = await stage.start([projection], { eventStore: watched(), batchSize: 1 });
      expect(await projector.reached(['faulty'], head, LONG_MS)).to.equal(true);
      expect(given).to.deep.equal(['a', 'b', 'a', 'b']);
      expect(await closed(stage.readModels)).to.deep.equal(['a', 'b']);
    });

    describe('with a document that several groups change', () => {
      /** Counts what was taken off lists; fails once at that of a posting. */
      const counting = (shared: readonly Collection[], failsAt?: string): Projection<DomainEvent> => {
        let hasFailed = false;
        return {
          name: 'counting',
          version: 1,
          collections: [tally],
          shared,
          decode: decodeDomainEvent,
          handlers: {
            PostingUnsaved({ data: { postingId } }, documents) {
              const { count } = documents.get(tally, 'all') ?? { count: 0 };
              documents.put(tally, 'all', { count: count + 1 });
              if (postingId !== failsAt || hasFailed) return;
              hasFailed = true;
              throw new Error('not yet');
            },
          },
        };
      };
      const counted = async () => (await stage.readModels.get(tally, 'all'))?.doc.count;

      it('counts each event once where the document is shared, also after a failure', async () => {
        const head = await unsave('d', 'c', 'b', 'a');
        const projector = await stage.start([counting([tally], 'c')], {
          eventStore: watched(),
          readModels: { ...stage.readModels, maxInserted: 1 },
          batchSize: 1,
        });
        expect(await projector.reached(['counting'], head, LONG_MS)).to.equal(true);
        expect(await counted()).to.equal(4);
        expect(stage.errors).to.have.length(1);
      });

      for (const maxInserted of [1, 100])
        it(`is built in the log's order where it is not, and tells of that (${maxInserted} documents wait)`, async () => {
          const head = await unsave('c', 'b', 'a');
          const projector = await stage.start([counting([])], {
            eventStore: watched(),
            readModels: { ...stage.readModels, maxInserted },
            batchSize: 1,
          });
          expect(await projector.reached(['counting'], head, LONG_MS)).to.equal(true);
          expect(await counted()).to.equal(3);
          expect(stage.errors[0]).to.include('stored already');
          expect(afters).to.deep.equal([START_POSITION]);
        });
    });

    it('begins anew where it is interrupted within the first group, of which a part may be stored', async () => {
      // Given a projection of events that are all of the first group
      const counting: Projection<DomainEvent> = {
        name: 'counting',
        version: 1,
        collections: [tally],
        shared: [tally],
        decode: decodeDomainEvent,
        handlers: {
          OfficeRecorded(_event, documents) {
            documents.put(tally, 'all', { count: (documents.get(tally, 'all')?.count ?? 0) + 1 });
          },
        },
      };
      // And a commit that is carried out, and reported as failed
      const groups: unknown[] = [];
      const readModels: ReadModelStore = {
        ...stage.readModels,
        maxInserted: 1,
        async commit(...args) {
          await stage.readModels.commit(...args);
          groups.push(args[2].building?.group);
          if (groups.length === 2) throw new Error('not heard of');
        },
      };
      const head = await recordOffice(
        stage.eventStore,
        'o',
        ...Array.from({ length: 9 }, (_, number) => `name ${number}`),
      );
      const projector = await stage.start([counting], { readModels, batchSize: 1 });
      expect(await projector.reached(['counting'], head, LONG_MS)).to.equal(true);
      expect(groups.slice(0, 2)).to.deep.equal([null, null]);
      expect((await stage.readModels.get(tally, 'all'))?.doc.count).to.equal(9);
    });

    it("is built in the log's order where a parked stream has events of other groups, which then wait", async () => {
      let isMended = false;
      const { projection, closed } = grouped('all', (postingId) => {
        if (postingId === 'late' && !isMended) throw new Error('cannot apply it');
      });
      const events = ['late', 'early'].map(unsaving);
      await stage.eventStore.append({ stream: 'posting-late', expectedRevision: NO_STREAM, events });
      const head = await unsave('other');
      const projector = await stage.start([projection], { parkedAt: () => now, batchSize: 1 });
      expect(await projector.reached(['all'], head, LONG_MS)).to.equal(true);
      expect(stage.errors[0]).to.include('are of other groups');
      expect(await closed(stage.readModels)).to.deep.equal(['other']);
      isMended = true;
      await projector.release('all', releaseOf('posting-late', 'unsaving of late'));
      expect(await closed(stage.readModels)).to.deep.equal(['early', 'late', 'other']);
    });

    it("is built in the log's order where a group has more documents than one transaction takes", async () => {
      // Given events of no professional, which form one group
      const { projection } = officeNames(() => false);
      let head = START_POSITION;
      for (let number = 0; number < 20; number++) head = await recordOffice(stage.eventStore, `o${number}`, 'name');
      const readModels = { ...stage.readModels, maxInserted: 1 };
      const inOne = { ...projection, shared: [] };
      const projector = await stage.start([inOne], { readModels, batchSize: 100 });
      expect(await projector.reached([inOne.name], head, LONG_MS)).to.equal(true);
      expect(stage.errors[0]).to.include('more documents than one transaction takes');
      expect(await stage.readModels.find(offices, { filter: {} })).to.have.length(20);
    });

    it('may be read as soon as it is said to be where the log ended', async () => {
      const head = await unsave('a', 'b');
      const projector = await stage.start([grouped('all').projection], { eventStore: watched() });
      expect(await projector.reached(['all'], head, LONG_MS)).to.equal(true);
      expect(await stage.readModels.checkpointOf('all')).to.include({ isBuilt: true });
      expect(statusOf(projector, 'all')).to.include({ isBuilt: true });
    });
  });
});
