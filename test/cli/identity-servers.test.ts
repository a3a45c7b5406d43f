import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoReadModelsReader } from '../../src/read-models/mongodb/reader.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import {
  configured,
  killLeftProcesses,
  runProcess,
  sendTo,
  serveProcess,
  spawnCli,
  urlIn,
} from '../support/process.ts';
import { newDatabase, newPrefix, withBothServers } from '../support/servers.ts';
import { untilReady } from '../support/service.ts';

const NAME = 'the identity of an event log on EventStoreDB and MongoDB';

withBothServers(NAME, ({ eventStore, mongo }) => {
  describe(NAME, function () {
    this.timeout(120_000);
    let directory: string;
    let database: ReturnType<typeof newDatabase>;
    const environment = (prefix: string, more: Readonly<Record<string, string>> = {}) => ({
      ...configured,
      EVENT_STORE_URL: eventStore,
      EVENT_STORE_PREFIX: prefix,
      READ_MODEL_URL: database.url,
      ...more,
    });
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'hiring-identity-'));
      database = newDatabase(mongo);
    });
    afterEach(async () => {
      killLeftProcesses();
      await database.drop();
      await rm(directory, { recursive: true });
    });

    let count = 0;
    const positions = async (): Promise<readonly string[]> => {
      const reader = openMongoReadModelsReader(database.url);
      try {
        return [...(await reader.checkpoints()).values()].map(({ position }) => position);
      } finally {
        await reader.close();
      }
    };
    /** Has a service record a specialty, and its builds come there; ends it. */
    const served = async (prefix: string, more: Readonly<Record<string, string>> = {}): Promise<void> => {
      const service = await serveProcess(directory, environment(prefix, more));
      await untilReady(service.url);
      const { status, headers } = await sendTo(service, 'PUT', '/internal/specialties/a', {
        body: { name: `specialty ${++count}`, procedures: [] },
      });
      expect(status).to.equal(204);
      const end = headers.get('Consistency-Token') ?? '';
      await eventually(
        'all builds are there',
        async () => (await positions()).length >= 6 && (await positions()).every((position) => position >= end),
        20_000,
      );
      expect(await service.end('SIGTERM')).to.equal(0);
    };

    it('is gone where the event store is empty beside read models: no service runs, and they stay', async () => {
      await served(newPrefix());
      const before = await positions();
      for (const more of [{}, { EVENT_LOG_INIT: 'true' }]) {
        const { code, stderr } = await runProcess(directory, ['serve'], environment(newPrefix(), more));
        expect(stderr).to.match(
          /^hiring: EVENT_STORE_URL \(streams test-.*\) holds no events, and the database of READ_MODEL_URL was made from events: the event log [0-9a-f-]{36} is gone; nothing was begun, and no read model was emptied; mount or restore it, or, if another one is to begin, name an empty database in READ_MODEL_URL\n$/,
        );
        expect(code).to.equal(2);
      }
      expect(await positions()).to.deep.equal(before);

      // And the list of builds is not all green
      const list = await runProcess(directory, ['projections', 'list'], environment(newPrefix()));
      expect(list.stdout).to.match(/^service: none answers at .*\n\nbuild +state/);
      expect(list.stderr).to.match(/^hiring: EVENT_STORE_URL .* holds no events, .* is gone; nothing was begun/);
      expect(list.code).to.equal(2);
    });

    it('is another one: no service runs', async () => {
      const [one, other] = [newPrefix(), newPrefix()];
      await served(one);
      const { drop, url } = newDatabase(mongo);
      const begun = await runProcess(directory, ['init'], environment(other, { READ_MODEL_URL: url }));
      expect(begun.code).to.equal(0);
      await drop();
      const { code, stderr } = await runProcess(directory, ['serve'], environment(other));
      expect(stderr).to.match(
        /^hiring: .* holds the event log .*, and the database of READ_MODEL_URL was made from events of .*\n$/,
      );
      expect(code).to.equal(2);
      await served(one);
    });

    it('is begun by hiring init alone where EVENT_LOG_ID names another', async () => {
      const prefix = newPrefix();
      const { stdout } = await runProcess(directory, ['init'], environment(prefix));
      await served(prefix, { EVENT_LOG_ID: stdout.trim() });
      const wrong = { EVENT_LOG_ID: '01890000-0000-7000-8000-000000000000' };
      const { code, stderr } = await runProcess(directory, ['serve'], environment(prefix, wrong));
      expect(stderr).to.match(
        /^hiring: EVENT_LOG_ID is 0189\S+, and EVENT_STORE_URL .* holds the event log [0-9a-f-]{36}; .*\n$/,
      );
      expect(code).to.equal(2);
    });

    it('is noted for stores that older code has filled', async () => {
      const prefix = newPrefix();
      await served(prefix);
      const client = new MongoClient(database.url);
      const noted = () => client.db().collection('log').findOne();
      try {
        await served(prefix);
        const before = await noted();
        expect(before).to.have.keys('_id', 'position', 'id');
        await client.db().collection('log').drop();
        await client
          .db()
          .collection('projections')
          .updateMany({}, { $unset: { 'checkpoint.first': 1 } });
        await served(prefix);
        expect(await noted()).to.deep.equal(before);
      } finally {
        await client.close();
      }
    });

    it('that is gone ends a service as soon as the event store answers, and nothing was stored', async () => {
      await served(newPrefix());
      // Given a service that was started while the event store does not answer
      const port = await freePort();
      const prefix = newPrefix();
      const more = { EVENT_STORE_URL: `esdb://127.0.0.1:${port}?tls=false` };
      const child = spawnCli(directory, ['serve'], environment(prefix, more));
      const ended = once(child, 'exit') as Promise<[number | null]>;
      let [stdout, stderr] = ['', ''];
      child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      await eventually('it listens', () => urlIn(stdout) !== undefined);
      const service = { url: urlIn(stdout) ?? '' };
      const write = () => sendTo(service, 'PUT', '/internal/specialties/a', { body: { name: 'a', procedures: [] } });
      expect((await write()).status).to.equal(503);

      // When an event store without events of the service answers
      const store = new URL(eventStore.replace('esdb:', 'http:'));
      const link = createServer((socket) => {
        const through = connect(Number(store.port), store.hostname);
        socket.pipe(through).pipe(socket);
        for (const end of [socket, through]) end.on('error', () => undefined);
      }).listen(port, '127.0.0.1');
      const answers: number[] = [];
      const writing = (async () => {
        for (;;) answers.push((await write()).status);
      })().catch(() => undefined);

      // Then
      expect(await ended).to.include(2);
      await writing;
      link.close();
      expect(stderr).to.match(/^hiring: .* holds no events, and .*: the event log [0-9a-f-]{36} is gone; .*\n$/);
      expect(answers.filter((status) => status !== 503)).to.deep.equal([]);
    });
  });
});
