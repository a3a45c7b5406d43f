import { expect } from 'chai';
import { START_POSITION, type EventStore } from '../../src/event-store/port.ts';
import { closings, LONG_MS, newStage, statusOf, until, type Stage } from '../support/projector-stage.ts';

describe('projector', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = newStage();
  });
  afterEach(() => stage.end());

  describe('follows the log', () => {
    it('through what is there and what comes', async () => {
      const { projection, closed } = closings('all');
      await stage.close('a', 'b');
      const projector = await stage.start([projection]);
      const position = await stage.close('c');
      expect(await projector.reached(['all'], position, LONG_MS)).to.equal(true);
      expect(await closed(stage.readModels)).to.deep.equal(['a', 'b', 'c']);
      expect(statusOf(projector, 'all')).to.deep.equal({
        name: 'all',
        version: 1,
        applied: position,
        position,
        seen: 3,
        of: undefined,
        parked: [],
        isHere: true,
        isBuilt: true,
        stopped: undefined,
        errors: 0,
        lastError: undefined,
      });
    });

    it('from an empty one on', async () => {
      const { projection, closed } = closings('all');
      const projector = await stage.start([projection]);
      expect(await projector.reached(['all'], await stage.close('a'), LONG_MS)).to.equal(true);
      expect(await closed(stage.readModels)).to.deep.equal(['a']);
    });

    it('of nothing but what others have written, up to the first event of its own', async () => {
      const { projection, closed } = closings('all');
      const { eventStore } = stage;
      const othersEnd = '0000000';
      const shared: EventStore = {
        ...eventStore,
        async *subscribe(after, options) {
          if (after === START_POSITION) yield { events: [], position: othersEnd, isLast: true };
          yield* eventStore.subscribe(START_POSITION, options);
        },
      };
      const projector = await stage.start([projection], { eventStore: shared });
      await until(() => statusOf(projector, 'all')?.position === othersEnd || stage.errors.length > 0);
      expect(stage.errors).to.deep.equal([]);
      expect(await projector.reached(['all'], await stage.close('a'), LONG_MS)).to.equal(true);
      expect(await closed(stage.readModels)).to.deep.equal(['a']);
    });

    it('past events that no handler is for', async () => {
      const { projection } = closings('all');
      const position = await stage.close('a');
      const projector = await stage.start([{ ...projection, handlers: {} }]);
      expect(await projector.reached(['all'], position, LONG_MS)).to.equal(true);
      expect(await stage.readModels.prepare(projection)).to.include({ position });
    });

    it('and has reached a position only when every projection has', async () => {
      const { open, opened } = stage.gate();
      const [quick, slow] = [closings('quick'), closings('slow', () => opened)];
      const position = await stage.close('a');
      const projector = await stage.start([quick.projection, slow.projection]);
      await until(() => statusOf(projector, 'quick')?.position === position);
      expect(await projector.reached(['quick', 'slow'], position, 1)).to.equal(false);
      open();
      expect(await projector.reached(['quick', 'slow'], position, LONG_MS)).to.equal(true);
    });
  });

  describe('reached', () => {
    it('is true at once where the projections are already', async () => {
      const { projection } = closings('all');
      const position = await stage.close('a');
      const projector = await stage.start([projection]);
      await projector.reached(['all'], position, LONG_MS);
      expect(await projector.reached(['all'], position, 0)).to.equal(true);
    });

    it('is false when they are not there in time', async () => {
      const { projection } = closings('all');
      const projector = await stage.start([projection]);
      await projector.reached(['all'], await stage.close('a'), LONG_MS);
      expect(await projector.reached(['all'], '999999', 1)).to.equal(false);
    });

    it('waits for the named projections alone', async () => {
      const { open, opened } = stage.gate();
      const [quick, slow] = [closings('quick'), closings('slow', () => opened)];
      const position = await stage.close('a');
      const projector = await stage.start([quick.projection, slow.projection]);
      expect(await projector.reached(['quick'], position, LONG_MS)).to.equal(true);
      expect(await projector.reached(['quick', 'slow'], position, 1)).to.equal(false);
      open();
      expect(await projector.reached(['quick', 'slow'], position, LONG_MS)).to.equal(true);
    });
  });

  describe('stop', () => {
    it('finishes the batch in hand and takes no other', async () => {
      const { open, opened } = stage.gate();
      const begun = stage.gate();
      const { projection, given } = closings('all', () => {
        begun.open();
        return opened;
      });
      await stage.close('a', 'b');
      const projector = await stage.start([projection], { batchSize: 1 });
      await begun.opened;
      let isStopped = false;
      const stopped = projector.stop().then(() => (isStopped = true));
      await new Promise<void>((resolve) => setImmediate(resolve));
      expect(isStopped).to.equal(false);
      open();
      await stopped;
      expect(given).to.deep.equal(['a']);
      expect(await stage.readModels.prepare(projection)).to.include({ position: '000001' });
    });

    it('does not wait for a projection that would try again', async () => {
      const { projection } = closings('faulty', () => {
        throw new Error('never');
      });
      await stage.close('a');
      const projector = await stage.start([projection], { retryAfterMs: { min: LONG_MS * 10, max: LONG_MS * 10 } });
      await until(() => stage.errors.length > 0);
      await projector.stop();
      expect(stage.errors).to.deep.equal([
        'faulty: Error: PostingClosed (event 0 of posting-a, at 000001) cannot be applied: never',
      ]);
    });
  });
});
