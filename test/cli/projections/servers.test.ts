import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { professionalProfiles } from '../../../projections/professional-profiles.ts';
import type { RecordedAct } from '../../../src/audit/acts.ts';
import { openMongoBuildRegistry } from '../../../src/builds/mongodb-registry.ts';
import { bodies, ids } from '../../support/examples.ts';
import { eventually } from '../../support/eventually.ts';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { configured, sendTo } from '../../support/process.ts';
import { newDatabase, newPrefix, withBothServers } from '../../support/servers.ts';

const NAME = 'hiring projections on EventStoreDB and MongoDB';

withBothServers(NAME, ({ eventStore, mongo }) => {
  describe(NAME, () => {
    let directory: string;
    let database: ReturnType<typeof newDatabase>;
    let environment: Readonly<Record<string, string>>;
    const projections = (...args: string[]) => runCli(directory, ['projections', ...args], environment);

    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'hiring-projections-'));
      database = newDatabase(mongo);
      environment = {
        ...configured,
        EVENT_STORE_URL: eventStore,
        EVENT_STORE_PREFIX: newPrefix(),
        READ_MODEL_URL: database.url,
      };
      // Given a service that has applied two recordings of one professional
      const service = await serveHere(directory, environment);
      for (const professional of [bodies.professional, { ...bodies.professional, firstName: 'Joan' }]) {
        const path = `/internal/professionals/${ids.professional}`;
        const { status } = await sendTo(service, 'PUT', path, { body: professional });
        expect(status).to.equal(204);
      }
      // With an empty event log the service was ready before its projections had begun.
      const registry = openMongoBuildRegistry(database.url);
      const isBuilt = async () => (await registry.all()).get('professional-profiles')?.builds[0]?.step === 'ready';
      await eventually('it is built', isBuilt, 20_000);
      await registry.close();
      expect(await service.end()).to.equal(0);
    });
    afterEach(async () => {
      await endLeftServices();
      await database.drop();
      await rm(directory, { recursive: true });
    });
    const lastLine = (stdout: string) =>
      JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Readonly<Record<string, unknown>>;

    it('are acts that the audit has, with their actor', async () => {
      await projections('rebuild', 'professional-profiles', '--json');
      await projections('cancel', 'professional-profiles');
      await runCli(directory, ['token', '--user', 'user-ada'], environment);
      const { stdout } = await runCli(directory, ['history', 'audit', '--json'], environment);
      const me = `os:${userInfo().username}`;
      const acts = JSON.parse(stdout) as RecordedAct[];
      expect(acts.map(({ actor, operation, phase }) => `${actor} ${operation} ${phase}`)).to.deep.equal([
        `${me} rebuild completed`,
        'service:projector switch completed',
        `${me} cancel failed`,
        `${me} token completed`,
      ]);
    });

    it('are not done where that cannot be recorded', async () => {
      const away = { ...environment, EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false' };
      const { code, stderr } = await runCli(directory, ['projections', 'pause', 'professional-profiles'], away);
      expect([code, stderr]).to.deep.equal([
        2,
        'hiring: who does this cannot be recorded, so nothing was done: EventStoreDB does not answer\n',
      ]);
      const registry = openMongoBuildRegistry(database.url);
      expect((await registry.all()).get('professional-profiles')?.paused).to.equal(null);
      await registry.close();
    });

    it('rebuild --dry-run says of how many events', async () => {
      const { code, stdout, stderr } = await projections('rebuild', 'professional-profiles', '--dry-run', '--json');
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(lastLine(stdout)).to.include({
        projection: 'professional-profiles',
        live: `professional-profiles@${professionalProfiles.version}.1`,
        events: 2,
      });
    });

    it('rebuild serves what it has built, and verify finds that the same', async () => {
      const rebuilt = await projections('rebuild', 'professional-profiles', '--json');
      expect([rebuilt.code, rebuilt.stderr]).to.deep.equal([0, '']);
      expect(lastLine(rebuilt.stdout)).to.include({ projection: 'professional-profiles', kind: 'served' });
      const verified = await projections('verify', 'professional-profiles', '--json');
      expect([verified.code, verified.stderr]).to.deep.equal([0, '']);
      expect(lastLine(verified.stdout)).to.include({ kind: 'compared' });
      const { stdout } = await projections('list');
      expect(stdout).to.match(new RegExp(`^professional-profiles@${professionalProfiles.version}.2 +live`, 'm'));
    });

    it('verify ends with 1 and names a document that has drifted', async () => {
      const client = new MongoClient(database.url);
      const planted = await client
        .db()
        .collection(`professional_profiles_v${professionalProfiles.version}_1`)
        .updateOne({}, { $set: { 'doc.planted': true } });
      await client.close();
      expect(planted.modifiedCount).to.equal(1);
      const { code, stdout } = await projections('verify', 'professional-profiles');
      expect(code).to.equal(1);
      expect(stdout).to.include(ids.professional).and.to.include('planted');
    });
  });
});
