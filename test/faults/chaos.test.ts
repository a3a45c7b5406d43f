import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../projections/index.ts';
import { buildId } from '../../src/projector/build-id.ts';
import { servedReadModels } from '../../src/projector/build-projection.ts';
import { eventually } from '../support/eventually.ts';
import { commands, ownServer, type OwnServer } from '../support/own-servers.ts';
import { dumpDocuments } from '../support/read-model-dump.ts';
import { withBothServers } from '../support/servers.ts';
import { expectEachOnce, startWriters } from '../support/writers.ts';
import { newInstances, untilReady, type Instances, type Servers } from './instances.ts';
import { rebuild } from './rebuild.ts';

const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 20);
const BETWEEN_KILLS_MS = 5_000;
const WRITERS = 64;
const INSTANCES = 3;
const NAME = `${INSTANCES} instances, ${WRITERS} writers, and a kill -9 every 5 s for ${SECONDS} s`;

withBothServers(NAME, (named) => {
  describe(NAME, function () {
    this.timeout(SECONDS * 1_000 + 300_000);
    const own: { eventStore?: OwnServer; mongo?: OwnServer } = {};
    let instances: Instances;
    before(async () => {
      // The suite's own servers are killed as well, once each.
      for (const kind of ['eventStore', 'mongo'] as const)
        if (commands[kind]) await (own[kind] = await ownServer(kind)).start();
      const servers: Servers = {
        eventStore: own.eventStore?.url ?? named.eventStore,
        mongo: own.mongo?.url ?? named.mongo,
      };
      instances = await newInstances(servers);
    });
    after(async () => {
      await instances.end();
      await own.eventStore?.remove();
      await own.mongo?.remove();
    });

    it('lose nothing acknowledged, apply nothing twice, and their read models equal a rebuild', async () => {
      // Given instances behind a round robin, and writers that retry until they are answered
      const running = await Promise.all(Array.from({ length: INSTANCES }, () => instances.start()));
      for (const each of running) await untilReady(each);
      let turn = 0;
      const route = () => running[turn++ % INSTANCES]?.url ?? '';
      const writers = await startWriters(WRITERS, route, (status) => status >= 500);

      // When one instance after another is killed and started again, and each server once
      const end = performance.now() + SECONDS * 1_000;
      const restart = async (server: OwnServer | undefined) => {
        await server?.kill();
        await server?.start();
      };
      const servers = (async () => {
        await delay((SECONDS * 1_000) / 4);
        await restart(own.eventStore);
        await delay((SECONDS * 1_000) / 4);
        await restart(own.mongo);
      })();
      let kills = 0;
      while (performance.now() < end) {
        const next = delay(BETWEEN_KILLS_MS);
        const victim = kills++ % INSTANCES;
        await running[victim]?.end('SIGKILL');
        running[victim] = await instances.start();
        await next;
      }
      await servers;
      const done = await writers.end();

      // Then each write is there once, in order
      const log = instances.openLog();
      await expectEachOnce(log, done);

      // And the read models match the event log
      const readModels = instances.openReadModels();
      const head = await log.head();
      await eventually('the read models have everything', async () => {
        const ids = projections.map(({ name, version }) => buildId(name, version, 1));
        const checkpoints = await Promise.all(ids.map((id) => readModels.checkpointOf(id)));
        return checkpoints.every((checkpoint) => checkpoint && checkpoint.position >= head);
      });
      for (const each of running) expect(await each.end('SIGTERM')).to.equal(0);
      const builds = new Map(projections.map(({ name, version }) => [name, buildId(name, version, 1)]));
      const kept = await dumpDocuments(servedReadModels(readModels, projections, builds));
      await readModels.close();
      const rebuilt = await rebuild(log, own.mongo?.url ?? named.mongo);
      await log.close();
      expect(kept).to.deep.equal(rebuilt);
      const writes = done.reduce((sum, times) => sum + 2 * times, 0);
      console.log(
        `      ${writes} writes, ${kills} instances killed, ${Object.keys(own).length} servers killed, ` +
          `${writers.retries()} requests asked again, the longest answered after ${(writers.longest() / 1_000).toFixed(1)} s`,
      );
    });
  });
});
