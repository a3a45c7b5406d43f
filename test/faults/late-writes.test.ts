import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { withServer } from '../support/servers.ts';
import { isCommand } from './link.ts';
import type { ProjectorChild } from './projector-child.ts';
import { expectAsRebuilt, newStage, type Stage } from './stage.ts';

/** So many events of the history include one that touches more documents than one transaction stores. */
const MANY = 500;
const NAME = 'A projector that has lost its lease without knowing';

withServer(NAME, 'TEST_MONGODB_URL', (server) => {
  describe(NAME, function () {
    this.timeout(120_000);
    let stage: Stage;
    beforeEach(async () => {
      stage = await newStage(server);
    });
    afterEach(() => stage.end());

    const isRefused = (child: ProjectorChild) =>
      eventually('a write is refused', () =>
        child.told.some((message) => message.kind === 'failed' && message.isLeaseLost),
      );

    it('is refused what it was about to store when it was paused', async () => {
      // Given a projector that is stopped when it is about to store a batch
      const paused = await stage.start();
      await stage.grow(50);
      await stage.caughtUp();
      paused.tell({ kind: 'pause' });
      await stage.grow(50);

      // When another projector takes over and goes on, and the first one resumes
      const other = await stage.start();
      await stage.holds(other);
      await stage.grow(50);
      await stage.caughtUp();
      paused.signal('SIGCONT');

      // Then
      await isRefused(paused);
      await stage.grow(50);
      await stage.caughtUp();
      await stage.holds(other);
      await expectAsRebuilt(stage);
    });

    it('is refused what was on its way meanwhile', async () => {
      // Given a projector whose batch is sent and does not arrive
      const link = await stage.link();
      const slow = await stage.start(link);
      await stage.grow(50);
      await stage.caughtUp();
      const held = link.holdFrom(isCommand('update', 'posting_candidates', 'upsert'));
      await stage.grow(50);
      await held;

      // When another projector takes over and goes on, and the batch arrives then
      const other = await stage.start();
      await stage.holds(other);
      await stage.grow(50);
      await stage.caughtUp();
      link.release();

      // Then
      await isRefused(slow);
      await stage.grow(50);
      await stage.caughtUp();
      await stage.holds(other);
      await expectAsRebuilt(stage);
    });

    it('is refused what was on its way meanwhile: a part of an event', async () => {
      // Given a projector that is stopped when it has stored a part of an event
      const slow = await stage.start();
      slow.tell({ kind: 'pause between' });
      await stage.grow(MANY);
      await eventually('a part is stored', () => slow.told.some(({ kind }) => kind === 'between'));

      // When another projector has completed that event, and the first one resumes
      const other = await stage.start();
      await stage.holds(other);
      await stage.caughtUp();
      slow.signal('SIGCONT');

      // Then
      await isRefused(slow);
      await stage.grow(50);
      await stage.caughtUp();
      await expectAsRebuilt(stage);
    });

    it('is refused the emptying of a collection that was on its way', async () => {
      // Given read models of another version, and a projector whose deletions of them do not arrive
      const before = await stage.start();
      await stage.grow(50);
      await stage.caughtUp();
      expect(await before.stop()).to.equal(0);
      await stage.outdate();
      const link = await stage.link();
      const held = link.holdFrom(isCommand('delete', 'posting_candidates'));
      const slow = await stage.start(link);
      await held;

      // When another projector has built the read models, and the deletions arrive then
      const other = await stage.start();
      await stage.holds(other);
      await stage.caughtUp();
      link.release();

      // Then
      await isRefused(slow);
      await stage.grow(50);
      await stage.caughtUp();
      await expectAsRebuilt(stage);
    });
  });
});
