import { expect } from 'chai';
import { projections } from '../../projections/index.ts';
import { withServer } from '../servers.ts';
import { after, isCommand } from './link.ts';
import { expectAsRebuilt, newStage, type Stage } from './stage.ts';

const NAME = 'A projector that is killed in the middle of a batch';

withServer(NAME, 'TEST_MONGODB_URL', (server) => {
  describe(NAME, function () {
    this.timeout(120_000);
    let stage: Stage;
    beforeEach(async () => {
      stage = await newStage(server);
    });
    afterEach(() => stage.end());

    /** Projections of which a document is newer than the checkpoint. */
    const inTheMiddle = async (): Promise<string[]> => {
      const leases = await stage.leases();
      const found = projections.map(async ({ name, collections }) => {
        const checkpoint = leases.get(name)?.position ?? '';
        const stored = collections.map((collection) => stage.readModels.find(collection, { filter: {} }));
        return (await Promise.all(stored)).flat().some(({ position }) => position > checkpoint) ? [name] : [];
      });
      return (await Promise.all(found)).flat();
    };

    const points = [
      ['between two collections', isCommand('update', 'posting_candidates', 'upsert')],
      [
        'before its checkpoint',
        after(
          isCommand('update', 'posting_candidates', 'upsert'),
          isCommand('update', 'projections', 'posting-candidates', 'position'),
        ),
      ],
    ] as const;
    for (const [point, isMeant] of points)
      it(`is followed by another as if nothing had happened: ${point}`, async () => {
        // Given a projector that has stored documents of a batch, and not the whole batch
        const link = await stage.link();
        const first = await stage.start(link);
        await stage.grow(50);
        await stage.caughtUp();
        const held = link.holdFrom(isMeant);
        await stage.grow(50);
        await held;
        expect(await inTheMiddle()).not.to.deep.equal([]);

        // When it is killed, and another goes on while the log grows
        await first.kill();
        const second = await stage.start();
        await stage.grow(50);
        await stage.holds(second);
        await stage.grow(50);
        await stage.caughtUp();

        // Then
        await expectAsRebuilt(stage);
      });

    it('is followed by another as if nothing had happened: while it builds the read models', async () => {
      // Given a projector that has stored some documents of a projection which has no checkpoint yet
      const link = await stage.link();
      await stage.grow(500);
      const held = link.holdFrom(isCommand('update', 'saved_postings', 'upsert'));
      const first = await stage.start(link);
      await held;
      expect(await inTheMiddle()).not.to.deep.equal([]);

      // When
      await first.kill();
      await stage.start();
      await stage.caughtUp();

      // Then
      await expectAsRebuilt(stage);
    });
  });
});
