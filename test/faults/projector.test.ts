import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { withServer } from '../support/servers.ts';
import { after, isCommand, isCommit } from './link.ts';
import { expectAsCheckpoints, expectAsRebuilt, newStage, type Stage } from './stage.ts';

/** So many events of the history include one that touches more documents than one transaction stores. */
const MANY = 500;
const NAME = 'A projector that is killed in the middle of a batch';

withServer(NAME, 'TEST_MONGODB_URL', (server) => {
  describe(NAME, function () {
    this.timeout(120_000);
    let stage: Stage;
    beforeEach(async () => {
      stage = await newStage(server);
    });
    afterEach(() => stage.end());

    const isStored = isCommand('update', 'posting_candidates', 'upsert');
    const points = [
      ['between two collections', isStored],
      ['before it is committed', after(isStored, isCommit)],
    ] as const;
    for (const [point, isMeant] of points)
      it(`is followed by another as if nothing had happened: ${point}`, async () => {
        // Given a projector that has sent documents of a batch, and not the whole batch
        const link = await stage.link();
        const first = await stage.start(link);
        await stage.grow(50);
        await stage.caughtUp();
        const held = link.holdFrom(isMeant);
        await stage.grow(50);
        await held;
        await expectAsCheckpoints(stage);

        // When it is killed, and another projector goes on while the event log grows
        await first.kill();
        const second = await stage.start();
        await stage.grow(50);
        await stage.holds(second);
        await stage.grow(50);
        await stage.caughtUp();

        // Then
        await expectAsRebuilt(stage);
      });

    it('is followed by another as if nothing had happened: when it was committed and not told so', async () => {
      const link = await stage.link();
      const first = await stage.start(link);
      await stage.grow(50);
      await stage.caughtUp();
      const muted = link.muteFrom(after(isStored, isCommit));
      await stage.grow(50);
      await muted;
      await first.kill();
      await expectAsCheckpoints(stage);
      await stage.start();
      await stage.grow(50);
      await stage.caughtUp();
      await expectAsRebuilt(stage);
    });

    it('is followed by another as if nothing had happened: between a part of an event and the rest', async () => {
      // Given a projector that has stored a part of an event
      const first = await stage.start();
      first.tell({ kind: 'pause between' });
      await stage.grow(MANY);
      const between = () => first.told.flatMap((message) => (message.kind === 'between' ? [message.projection] : []));
      await eventually('a part is stored', () => between().length > 0);
      for (const name of between()) expect(await stage.readModels.checkpointOf(name)).to.include({ isBetween: true });

      // When
      await first.kill();
      await stage.start();
      await stage.grow(50);
      await stage.caughtUp();

      // Then
      await expectAsRebuilt(stage);
    });

    it('is followed by another as if nothing had happened: while it builds the read models', async () => {
      // Given a projector that has stored some documents of a projection, and sent more
      const link = await stage.link();
      await stage.grow(500);
      const isBegun = isCommand('insert', 'saved_postings');
      const held = link.holdFrom(after(isBegun, isBegun));
      const first = await stage.start(link);
      await held;
      expect(await stage.readModels.checkpointOf('saved-postings')).to.include({ isBuilt: false });

      // When
      await first.kill();
      await stage.start();
      await stage.caughtUp();

      // Then
      await expectAsRebuilt(stage);
    });
  });
});
