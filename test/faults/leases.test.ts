import { expect } from 'chai';
import { withServer } from '../support/servers.ts';
import type { ProjectorChild } from './projector-child.ts';
import { expectAsRebuilt, newStage, type Stage } from './stage.ts';

const AT_LAST_MS = 10_000;
const AT_ONCE_MS = 2_000;
const NAME = 'Two projectors of one database';

withServer(NAME, 'TEST_MONGODB_URL', (server) => {
  describe(NAME, function () {
    this.timeout(120_000);
    let stage: Stage;
    let active: ProjectorChild;
    let standby: ProjectorChild;
    beforeEach(async () => {
      // Given a lease holder of all projections, and a projector that started later
      stage = await newStage(server);
      await stage.grow(50);
      active = await stage.start();
      await stage.holds(active);
      standby = await stage.start();
    });
    afterEach(() => stage.end());

    const batchesOf = ({ told }: ProjectorChild) => told.filter(({ kind }) => kind === 'storing').length;

    it('do not get in the way of each other: only one has the leases and stores anything', async () => {
      await stage.grow(50);
      await stage.caughtUp();
      expect(batchesOf(active)).to.be.greaterThan(0);
      expect(standby.told).to.deep.equal([{ kind: 'started' }]);
      await expectAsRebuilt(stage);
    });

    it('take over from each other: within 10 s of a kill -9', async () => {
      await active.kill();
      expect(await stage.holds(standby)).to.be.lessThan(AT_LAST_MS);
      await stage.grow(50);
      await stage.caughtUp();
      await expectAsRebuilt(stage);
    });

    it('take over from each other: at once when one is stopped gracefully', async () => {
      expect(await active.stop()).to.equal(0);
      expect(await stage.holds(standby)).to.be.lessThan(AT_ONCE_MS);
      await stage.grow(50);
      await stage.caughtUp();
      await expectAsRebuilt(stage);
    });
  });
});
