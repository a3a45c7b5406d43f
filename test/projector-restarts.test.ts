import { expect } from 'chai';
import { START, type EventStore, type Position } from '../src/event-store/port.ts';
import { openMemoryEventStore } from './memory-stores.ts';
import { closings, LONG_MS, newStage, type Stage } from './projector-stage.ts';

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
      expect(afters).to.deep.equal([START, checkpoint]);
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

    it('builds a projection anew whose checkpoint belongs to another log', async () => {
      const { projection, closed } = closings('all');
      const first = await stage.start([projection]);
      await first.reached(['all'], await stage.close('a', 'b'), LONG_MS);
      await first.stop();
      const other = newStage();
      const position = await other.close('x', 'y', 'z');
      const second = await stage.start([projection], { eventStore: other.eventStore });
      expect(await second.reached(['all'], position, LONG_MS)).to.equal(true);
      expect(await closed(stage.readModels)).to.deep.equal(['x', 'y', 'z']);
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

    it('empties a projection whose log is empty', async () => {
      const { projection, closed } = closings('all');
      const first = await stage.start([projection]);
      await first.reached(['all'], await stage.close('a'), LONG_MS);
      await first.stop();
      await stage.start([projection], { eventStore: openMemoryEventStore() });
      expect(await closed(stage.readModels)).to.deep.equal([]);
    });
  });
});
