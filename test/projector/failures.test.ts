import { expect } from 'chai';
import type { DomainEvent } from '../../src/domain/index.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import type { Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { closings, LONG_MS, newStage, statusOf, until, type Stage } from '../support/projector-stage.ts';

const WHY = 'PostingClosed (event 0 of posting-b, at 000002) cannot be applied: cannot apply b';

describe('projector', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = newStage();
  });
  afterEach(() => stage.end());

  describe('when a projection fails', () => {
    it('lets the others go on, counts the failures and says what the last was', async () => {
      let isBroken = true;
      const fail = (postingId: string) => {
        if (isBroken && postingId === 'b') throw new Error('cannot apply b');
      };
      const [sound, faulty] = [closings('sound'), closings('faulty', fail)];
      const projector = await stage.start([faulty.projection, sound.projection], { batchSize: 1 });
      await stage.close('a', 'b');
      const position = await stage.close('c');
      expect(await projector.reached(['sound'], position, LONG_MS)).to.equal(true);
      await until(() => stage.errors.length >= 3);
      expect(statusOf(projector, 'sound')).to.include({ position, errors: 0, lastError: undefined });
      expect(statusOf(projector, 'faulty')).to.include({ position: '000001', lastError: WHY });
      expect(stage.errors.slice(0, 3)).to.deep.equal(Array.from({ length: 3 }, () => `faulty: Error: ${WHY}`));
      isBroken = false;
    });

    it('tries again by itself and catches up', async () => {
      let failuresLeft = 4;
      const fail = () => {
        if (failuresLeft-- > 0) throw new Error('not yet');
      };
      const { projection, closed } = closings('faulty', fail);
      const position = await stage.close('a', 'b', 'c');
      const projector = await stage.start([projection]);
      expect(await projector.reached(['faulty'], position, LONG_MS)).to.equal(true);
      expect(statusOf(projector, 'faulty')).to.include({ position, errors: 4, lastError: undefined });
      expect(await closed(stage.readModels)).to.deep.equal(['a', 'b', 'c']);
      expect(await projector.reached(['faulty'], await stage.close('d'), LONG_MS)).to.equal(true);
    });

    it('keeps none of the documents of the batch that failed', async () => {
      const fail = (postingId: string) => {
        if (postingId === 'd') throw new Error('cannot apply d');
      };
      const { projection, closed } = closings('faulty', fail);
      await stage.close('a', 'b', 'c', 'd');
      await stage.start([projection], { batchSize: 2 });
      await until(() => stage.errors.length >= 2);
      expect(await closed(stage.readModels)).to.deep.equal(['a', 'b']);
      expect(await stage.readModels.prepare(projection)).to.include({ position: '000002' });
    });

    it('goes on when the store of read models failed for a while', async () => {
      let failuresLeft = 2;
      const shaky: ReadModelStore = {
        ...stage.readModels,
        commit: (...args) =>
          failuresLeft-- > 0 ? Promise.reject(new Error('no store')) : stage.readModels.commit(...args),
      };
      const { projection, closed } = closings('all');
      const position = await stage.close('a');
      const projector = await stage.start([projection], { readModels: shaky });
      expect(await projector.reached(['all'], position, LONG_MS)).to.equal(true);
      expect(await closed(stage.readModels)).to.deep.equal(['a']);
      expect(statusOf(projector, 'all')).to.include({ errors: 2 });
    });

    it('goes on when the subscription broke', async () => {
      let breaksLeft = 2;
      const shaky: EventStore = {
        ...stage.eventStore,
        subscribe: (...args) => {
          if (breaksLeft-- > 0) throw new Error('no connection');
          return stage.eventStore.subscribe(...args);
        },
      };
      const { projection, given } = closings('all');
      const position = await stage.close('a');
      const projector = await stage.start([projection], { eventStore: shaky });
      expect(await projector.reached(['all'], position, LONG_MS)).to.equal(true);
      expect(given).to.deep.equal(['a']);
      expect(stage.errors).to.deep.equal(['all: Error: no connection', 'all: Error: no connection']);
    });
  });

  describe('when one of several projections cannot begin', () => {
    it('says so, has the others begin, and the one when it is asked for again', async () => {
      let failuresLeft = 1;
      const shaky: ReadModelStore = {
        ...stage.readModels,
        prepare: (projection) =>
          projection.name === 'one' && failuresLeft-- > 0
            ? Promise.reject(new Error('no store'))
            : stage.readModels.prepare(projection),
      };
      const wanted = [closings('one'), closings('other')].map(({ projection }) => ({ projection }));
      const projector = await stage.start([], { readModels: shaky });
      expect(await projector.keep(wanted).catch(String)).to.equal('Error: no store');
      const position = await stage.close('a');
      expect(await projector.reached(['other'], position, LONG_MS)).to.equal(true);
      await projector.keep(wanted);
      expect(await projector.reached(['one'], position, LONG_MS)).to.equal(true);
    });
  });

  describe('when a projection is not wanted any more in the middle of a batch', () => {
    it('stores nothing of the batch, and calls that no failure', async () => {
      // Given a projection that waits for a document that its handler reads
      const { open, opened } = stage.gate();
      const { projection, closed } = closings('old');
      const { PostingClosed: close } = projection.handlers;
      const reading: Projection<DomainEvent> = {
        ...projection,
        handlers: {
          PostingClosed(event, documents) {
            for (const collection of projection.collections) documents.get(collection, event.data.postingId);
            close?.(event, documents);
          },
        },
      };
      const first = await stage.start([reading]);
      await first.reached(['old'], await stage.close('before'), LONG_MS);
      await first.stop();
      let isReading = false;
      const readModels: ReadModelStore = {
        ...stage.readModels,
        async get(collection, id) {
          isReading = true;
          await opened;
          return stage.readModels.get(collection, id);
        },
      };
      const projector = await stage.start([reading], { readModels });
      const position = await stage.close('a');
      await until(() => isReading);

      // When the projector no longer keeps it
      const other = closings('new');
      await projector.keep([{ projection: other.projection }]);
      open();
      expect(await projector.reached(['new'], position, LONG_MS)).to.equal(true);
      await projector.stop();
      expect(await closed(stage.readModels)).to.deep.equal(['before']);
      expect(stage.errors).to.deep.equal([]);
    });
  });
});
