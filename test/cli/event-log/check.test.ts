import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { bodies, ids } from '../../support/examples.ts';
import { editLog } from '../../support/edit-log.ts';
import { eventually } from '../../support/eventually.ts';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { configured, sendTo } from '../../support/process.ts';
import { newDatabase, newPrefix, withBothServers } from '../../support/servers.ts';

let directory: string;

const check = (more: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
  runCli(directory, ['check', ...more], { ...configured, ...environment });

/** Records an office twice, under keys of its own each, and a professional. */
const write = async (url: string): Promise<void> => {
  const put = async (path: string, body: unknown, key: string) => {
    const headers = { 'Idempotency-Key': key };
    expect((await sendTo({ url }, 'PUT', `/internal/${path}`, { headers, body })).status).to.equal(204);
  };
  await put(`offices/${ids.office}`, bodies.office, 'first');
  await put(`offices/${ids.office}`, { ...bodies.office, officeName: 'Another' }, 'second');
  await put(`professionals/${ids.professional}`, bodies.professional, 'third');
};

/** Changes the event log as no service would. */
const change = (sql: string): void => {
  const db = new Database(join(directory, 'events.db'));
  db.exec(sql);
  db.close();
};

const written = async (): Promise<void> => {
  const service = await serveHere(directory);
  await write(service.url);
  await service.end();
};

describe('hiring check', () => {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-check-'));
  });
  afterEach(async () => {
    await endLeftServices();
    await rm(directory, { recursive: true });
  });

  it('finds a store sound beside a running service, and compares with a rebuild', async () => {
    const { url } = await serveHere(directory);
    await write(url);
    await eventually('it is ready', async () => (await fetch(`${url}/health/ready`)).ok);
    const { code, stdout } = await check(['--deep']);
    expect(stdout).to.match(/^\d+ events of \d+ streams and 3 idempotency records: sound\n/);
    expect(stdout).to.match(/saved-postings: compared with a rebuild/);
    expect(code).to.equal(0);
  });

  it('names a stream that lacks an event, its position, and who has seen it', async () => {
    await written();
    change(`DELETE FROM events WHERE stream = 'office-${ids.office}' AND revision = 0`);
    const { code, stdout } = await check();
    expect(code).to.equal(1);
    expect(stdout).to.match(/^positions 0{15}\d to 0{15}\d: there is no event$/m);
    expect(stdout).to.include(`stream office-${ids.office}: it lacks revision 0 before position`);
    expect(stdout).to.match(/^idempotency record \S+: there is no event at its position 0{15}\d$/m);
    // A build that had not come further when the service ended has seen it last, and it may be the event log's first.
    const others = stdout.split('\n').filter((line) => !/^(?:build |checkpoints:)/.test(line));
    expect(others, stdout).to.have.length(3 + ['the sum', 'the end of its line'].length);
  });

  it('names an event that the code cannot read', async () => {
    await written();
    editLog(
      join(directory, 'events.db'),
      `UPDATE events SET data = '{}' WHERE type = 'OfficeRecorded' AND revision = 0`,
    );
    const { code, stdout } = await check(['--json']);
    const { findings } = JSON.parse(stdout) as { findings: { where: string; what: string }[] };
    expect(code).to.equal(1);
    expect(findings.map(({ what }) => what).join()).to.match(
      /^Event OfficeRecorded at position \d+ cannot be read: data/,
    );
  });

  it('names an event that is not what was stored, and its stream', async () => {
    await written();
    change(`UPDATE events SET data = '{}' WHERE type = 'OfficeRecorded' AND revision = 0`);
    const { code, stdout } = await check();
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /^positions (\d+) to \1: they cannot be read: the stored event does not match its checksum; of office-/m,
    );
  });

  it('names a damaged file of what is derived from the event log', async () => {
    await written();
    await truncate(join(directory, 'projections.db'), 5_000);
    const { code, stdout } = await check();
    expect(code).to.equal(1);
    expect(stdout).to.match(/^projections\.db: /);
  });

  it('names an event log that is no database', async () => {
    await writeFile(join(directory, 'events.db'), 'this is no database, but a text that is long enough');
    const { code, stdout } = await check();
    expect(code).to.equal(1);
    expect(stdout).to.match(/^events\.db: file is not a database\n/);
  });

  it('ends with 2 and one line where there is no event log', async () => {
    const { code, stdout, stderr } = await check();
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.match(/^hiring: There is no event log to read: \S+ is empty, or not mounted; allowed: .*\n$/);
  });

  it('ends where EventStoreDB does not answer', async () => {
    const { code, stdout } = await check([], {
      EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false',
      READ_MODEL_URL: 'mongodb://127.0.0.1:1/none',
    });
    expect(stdout).to.equal(
      'event log: EventStoreDB does not answer\n0 events of 0 streams and 0 idempotency records: 1 finding\n',
    );
    expect(code).to.equal(1);
  });

  withBothServers('hiring check on servers', ({ eventStore, mongo }) => {
    it('finds what a service has written there sound', async () => {
      const database = newDatabase(mongo);
      const environment = {
        EVENT_STORE_URL: eventStore,
        EVENT_STORE_PREFIX: newPrefix(),
        READ_MODEL_URL: database.url,
      };
      await write((await serveHere(directory, { ...configured, ...environment })).url);
      const { code, stdout } = await check([], environment);
      await endLeftServices();
      await database.drop();
      expect(stdout).to.match(
        /^\d+ events of \d+ streams and 3 idempotency records: sound; --deep also compares the read models with the events\n$/,
      );
      expect(code).to.equal(0);
    });
  });
});
