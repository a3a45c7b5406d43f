import { expect } from 'chai';
import { AnotherLogError } from '../../src/event-store/identity.ts';
import {
  START_POSITION,
  type EventStore,
  type EventPointer,
  type Position,
  type RecordedEvent,
} from '../../src/event-store/port.ts';
import { eventually } from '../support/eventually.ts';
import { closings, LONG_MS, newStage, type Stage } from '../support/projector-stage.ts';
import { recordOffice } from '../support/quarantine-stage.ts';

/** The same event log, in which the streams of offices belong to another service. */
const besideOthers = (eventStore: EventStore): EventStore => {
  const isOurs = ({ stream }: RecordedEvent): boolean => !stream.startsWith('office-');
  return {
    ...eventStore,
    async *subscribe(after, { types: _, ...options }) {
      let last: EventPointer | undefined;
      for await (const { last: _last, ...batch } of eventStore.subscribe(after, options)) {
        const events = batch.events.filter(isOurs);
        const newest = events.at(-1);
        if (newest) last = { position: newest.position, id: newest.id };
        yield { ...batch, events, ...(last && { last }) };
      }
    },
  };
};

describe('projector', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = newStage();
  });
  afterEach(() => stage.end());

  describe('when it starts again', () => {
    it('goes on from the checkpoint and reads nothing twice', async () => {
      const afters: Position[] = [];
      const watched: EventStore = {
        ...stage.eventStore,
        subscribe: (after, options) => {
          afters.push(after);
          return stage.eventStore.subscribe(after, options);
        },
      };
      const { projection, given, closed } = closings('all');
      const first = await stage.start([projection], { eventStore: watched });
      const checkpoint = await stage.close('a', 'b');
      await first.reached(['all'], checkpoint, LONG_MS);
      await first.stop();
      const position = await stage.close('c');
      const second = await stage.start([projection], { eventStore: watched });
      expect(await second.reached(['all'], position, LONG_MS)).to.equal(true);
      expect(given).to.deep.equal(['a', 'b', 'c']);
      expect(await closed(stage.readModels)).to.deep.equal(['a', 'b', 'c']);
      expect(afters).to.deep.equal([START_POSITION, checkpoint]);
    });

    it('gives a projection only what comes after its own checkpoint, whatever the others lack', async () => {
      const [old, fresh] = [closings('old'), closings('fresh')];
      const first = await stage.start([old.projection]);
      await first.reached(['old'], await stage.close('a', 'b'), LONG_MS);
      await first.stop();
      const second = await stage.start([old.projection, fresh.projection]);
      await second.reached(['old', 'fresh'], await stage.close('c'), LONG_MS);
      expect(old.given).to.deep.equal(['a', 'b', 'c']);
      expect(fresh.given).to.deep.equal(['a', 'b', 'c']);
    });

    it('goes on after its own last event, where it has passed what others wrote before that', async () => {
      // Given an event log with another service's events, and a projection whose checkpoint has passed them
      const { projection, given } = closings('all');
      const eventStore = besideOthers(stage.eventStore);
      const checkpoint = () => stage.readModels.checkpointOf('all');
      await stage.close('a');
      await recordOffice(stage.eventStore, 'foreign', 'any');
      const first = await stage.start([projection], { eventStore, storeEveryMs: 0 });
      await eventually('it has passed it', async () => (await checkpoint())?.passed?.position === '000002');

      // When it goes on, and starts again
      expect(await first.reached(['all'], await stage.close('b', 'c'), LONG_MS)).to.equal(true);
      await first.stop();
      const second = await stage.start([projection], { eventStore });
      expect(await second.reached(['all'], await stage.close('d'), LONG_MS)).to.equal(true);

      // Then it applies no event twice
      expect(given).to.deep.equal(['a', 'b', 'c', 'd']);
      expect(await checkpoint()).to.deep.include({ passed: null });
    });

    it('builds a projection anew whose version was raised', async () => {
      const { projection, given } = closings('all');
      const first = await stage.start([projection]);
      const position = await stage.close('a', 'b');
      await first.reached(['all'], position, LONG_MS);
      await first.stop();
      const second = await stage.start([{ ...projection, version: 2 }]);
      await second.reached(['all'], position, LONG_MS);
      expect(given).to.deep.equal(['a', 'b', 'a', 'b']);
    });

    for (const [which, texts] of [
      ['is of another log', ['x', 'y', 'z']],
      ['is of a log that has no events any more', []],
    ] as const)
      it(`leaves a projection as it is whose checkpoint ${which}`, async () => {
        const { projection, closed } = closings('all');
        const first = await stage.start([projection]);
        await first.reached(['all'], await stage.close('a', 'b'), LONG_MS);
        await first.stop();
        const other = newStage();
        if (texts.length > 0) await other.close(...texts);
        const second = await stage
          .start([projection], { eventStore: other.eventStore })
          .catch((error: unknown) => error);
        expect(second).to.be.instanceOf(AnotherLogError);
        expect(await closed(stage.readModels)).to.deep.equal(['a', 'b']);
      });

    it('builds a projection anew whose log lost its end', async () => {
      const { projection, closed } = closings('all');
      const first = await stage.start([projection]);
      await first.reached(['all'], await stage.close('a', 'b', 'c'), LONG_MS);
      await first.stop();
      stage.log.events.length = 1;
      const second = await stage.start([projection]);
      expect(await second.reached(['all'], await stage.eventStore.head(), LONG_MS)).to.equal(true);
      expect(await closed(stage.readModels)).to.deep.equal(['a']);
    });

    it('builds a projection anew whose log is another one by the time that its subscription begins again', async () => {
      // Given a running projector, and a subscription that ends when the event log is restored from a backup
      let lose: () => void = () => undefined;
      const eventStore: EventStore = {
        ...stage.eventStore,
        async *subscribe(after, options) {
          const lost = new AbortController();
          lose = () => lost.abort();
          const signal = AbortSignal.any([options.signal, lost.signal]);
          yield* stage.eventStore.subscribe(after, { ...options, signal });
          if (lost.signal.aborted) throw new Error('the server has gone away');
        },
      };
      const { projection, closed } = closings('all');
      const projector = await stage.start([projection], { eventStore });
      await projector.reached(['all'], await stage.close('a', 'b'), LONG_MS);

      // When another event is written at the position of the lost one
      stage.log.events.length = 1;
      const position = await stage.close('x');
      lose();
      await eventually('it is told', () => stage.errors.length > 0);
      await eventually('it is built anew', async () => (await closed(stage.readModels)).includes('x'));

      // Then
      expect(await projector.reached(['all'], position, LONG_MS)).to.equal(true);
      expect(await closed(stage.readModels)).to.deep.equal(['a', 'x']);
    });
  });
});
