import { expect } from 'chai';
import { ownServer, withOwnServers, type OwnServer } from '../support/own-servers.ts';
import type { ProjectorChild } from './projector-child.ts';
import { expectAsRebuilt, newStage, type Stage } from './stage.ts';

const KILLS = 3;
const NAME = 'Projectors whose MongoDB server is killed and started again';

withOwnServers(NAME, ['mongo'], () => {
  describe(NAME, function () {
    this.timeout(180_000);
    let server: OwnServer;
    let stage: Stage;
    beforeEach(async () => {
      server = await ownServer('mongo');
      await server.start();
      stage = await newStage(server.url);
    });
    afterEach(async () => {
      await stage.end();
      await server.remove();
    });

    const failuresOf = ({ told }: ProjectorChild) => told.filter(({ kind }) => kind === 'failed').length;

    it(`go on by themselves, and nothing is lost (${KILLS} kills)`, async () => {
      // Given two projectors, and an event log that grows
      const both = [await stage.start(), await stage.start()];
      await stage.caughtUp();

      // When the server is killed meanwhile, and started again after a while
      for (let kill = 0; kill < KILLS; kill++) {
        await stage.grow(40);
        const growing = stage.grow(40);
        await server.kill();
        await growing;
        await stage.grow(20);
        await server.start();
      }

      // Then
      await stage.caughtUp();
      await expectAsRebuilt(stage);
      expect(both.reduce((sum, child) => sum + failuresOf(child), 0)).to.be.greaterThan(0);
      for (const child of both) expect(await child.stop()).to.equal(0);
    });
  });
});
