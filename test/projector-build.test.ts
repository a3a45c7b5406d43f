import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { START, type EventStore, type Position } from '../src/event-store/port.ts';
import { closings, LONG_MS, newStage, statusOf, type Stage } from './projector-stage.ts';
import type { ReadModelStore } from '../src/read-models/port.ts';
import { recordsInMemory } from './quarantine-stage.ts';

describe('projector', () => {
  let stage: Stage;
  let afters: Position[];
  beforeEach(() => {
    stage = newStage();
    afters = [];
  });
  afterEach(() => stage.end());

  /** The stage's store, which can find streams by their category; the last stream comes first. */
  const byStreams = (): EventStore => ({
    ...stage.eventStore,
    subscribe(after, options) {
      afters.push(after);
      return stage.eventStore.subscribe(after, options);
    },
    async *readStreams({ types, upTo, batchSize, after = '0' }) {
      const events = stage.log.events.filter(
        ({ type, position }) => types.includes(type) && position <= upTo,
      );
      events.reverse();
      for (let start = Number(after); start < events.length; start += batchSize)
        yield await Promise.resolve({
          events: events.slice(start, start + batchSize),
          after: String(start + batchSize),
        });
    },
  });

  describe('when it starts from nothing and streams can be found', () => {
    it('builds from them what there is, and follows the log from there', async () => {
      const { projection, given, closed } = closings('all');
      const head = await stage.close('a', 'b');
      const projector = await stage.start([projection], { eventStore: byStreams(), batchSize: 1 });
      expect(await projector.reached(['all'], head, LONG_MS)).to.equal(true);
      expect(given).to.deep.equal(['b', 'a']);
      expect(await projector.reached(['all'], await stage.close('c'), LONG_MS)).to.equal(true);
      expect(given).to.deep.equal(['b', 'a', 'c']);
      expect(await closed(stage.readModels)).to.deep.equal(['a', 'b', 'c']);
      expect(afters).to.deep.equal([head]);
    });

    it('shows nothing and leaves no checkpoint before all is built', async () => {
      const { open, opened } = stage.gate();
      const { projection } = closings('all', (postingId) => (postingId === 'a' ? opened : undefined));
      const head = await stage.close('a', 'b');
      const projector = await stage.start([projection], {
        eventStore: byStreams(),
        batchSize: 1,
        mostWaiting: 1,
      });
      expect(await projector.reached(['all'], head, 1)).to.equal(false);
      expect(statusOf(projector, 'all')).to.include({ position: START });
      open();
      expect(await projector.reached(['all'], head, LONG_MS)).to.equal(true);
    });

    it('stores what is built as often as that is due, also beside one that has nothing to store', async () => {
      const slow = closings('slow', () => delay(1));
      const idle = closings('idle');
      const nothing = { ...idle.projection, handlers: { SpecialtyRecorded: () => Promise.resolve() } };
      let commits = 0;
      const readModels: ReadModelStore = {
        ...stage.readModels,
        commit(...args) {
          if (args[0].name === 'slow') commits++;
          return stage.readModels.commit(...args);
        },
      };
      const head = await stage.close(...Array.from({ length: 200 }, (_, number) => `p${number}`));
      const startedAt = performance.now();
      const projector = await stage.start([slow.projection, nothing], {
        eventStore: byStreams(),
        readModels,
        batchSize: 1,
        storeEveryMs: 50,
      });
      expect(await projector.reached(['slow', 'idle'], head, LONG_MS)).to.equal(true);
      const due = (performance.now() - startedAt) / 50;
      // Once more at the end.
      expect(commits)
        .to.be.within(2, due + 1)
        .and.be.below(200);
    });

    it('leaves a stream alone that is released meanwhile, and folds what it waited with later', async () => {
      const { open, opened } = stage.gate();
      const { projection, closed } = closings('all', (postingId) =>
        postingId === 'last' ? opened : undefined,
      );
      const { records, streams } = recordsInMemory();
      const head = await stage.close('last', 'held');
      const poison = {
        stream: 'posting-held',
        revision: 0,
        position: head,
        type: 'PostingClosed',
        error: new Error('was not to be folded'),
      };
      await records.add('all', [poison]);
      const projector = await stage.start([projection], {
        eventStore: byStreams(),
        quarantine: records,
        batchSize: 1,
      });
      await projector.release('all', 'posting-held', 0);
      expect(streams()).to.deep.equal(['posting-held']);
      open();
      expect(await projector.reached(['all'], head, LONG_MS)).to.equal(true);
      expect(await closed(stage.readModels)).to.deep.equal(['last']);
      await projector.release('all', 'posting-held', 0);
      expect(await closed(stage.readModels)).to.deep.equal(['held', 'last']);
      expect(streams()).to.deep.equal([]);
    });

    it('leaves a projection alone that has a checkpoint', async () => {
      const [old, fresh] = [closings('old'), closings('fresh')];
      const first = await stage.start([old.projection]);
      await first.reached(['old'], await stage.close('a'), LONG_MS);
      await first.stop();
      const head = await stage.close('b');
      const second = await stage.start([old.projection, fresh.projection], { eventStore: byStreams() });
      expect(await second.reached(['old', 'fresh'], head, LONG_MS)).to.equal(true);
      expect(old.given).to.deep.equal(['a', 'b']);
      expect(fresh.given).to.deep.equal(['b', 'a']);
    });

    it('reads no streams when no projection starts from nothing', async () => {
      const { projection } = closings('all');
      const first = await stage.start([projection]);
      await first.reached(['all'], await stage.close('a'), LONG_MS);
      await first.stop();
      const head = await stage.close('b');
      const eventStore: EventStore = {
        ...stage.eventStore,
        readStreams: () => {
          throw new Error('The streams are not to be read');
        },
      };
      const second = await stage.start([projection], { eventStore });
      expect(await second.reached(['all'], head, LONG_MS)).to.equal(true);
      expect(stage.errors).to.deep.equal([]);
    });

    it('begins anew in the order of the log when building failed, without what was built', async () => {
      let failuresLeft = 1;
      const faulty = closings('faulty', (postingId) => {
        if (postingId === 'a' && failuresLeft-- > 0) throw new Error('not yet');
      });
      const sound = closings('sound');
      const head = await stage.close('a', 'b');
      const projector = await stage.start([faulty.projection, sound.projection], {
        eventStore: byStreams(),
        batchSize: 1,
        mostWaiting: 1,
      });
      expect(await projector.reached(['faulty', 'sound'], head, LONG_MS)).to.equal(true);
      expect(faulty.given).to.deep.equal(['b', 'a', 'a', 'b']);
      expect(sound.given).to.deep.equal(['b', 'a']);
      expect(statusOf(projector, 'faulty')).to.include({ errors: 1, lastError: undefined });
      expect(await faulty.closed(stage.readModels)).to.deep.equal(['a', 'b']);
    });
  });
});
