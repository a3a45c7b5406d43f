import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/event-store.ts';
import { NO_STREAM, type EventData, type EventStore } from '../../../src/event-store/port.ts';
import { appended, newEvent } from '../../contract/new-events.ts';
import { bodies, claims, ids } from '../../support/examples.ts';
import { writeForeign } from '../../support/foreign-events.ts';
import { endLeftServices, runCli, serveHere, type Serving } from '../../support/cli.ts';
import { configured, processKeys, sendTo } from '../../support/process.ts';
import { newPrefix, withServer } from '../../support/servers.ts';
import { tokenFor } from '../../support/service.ts';
import { openLogHere } from '../../support/threads-here.ts';

let directory: string;
let serving: Serving | undefined;

const closed = (change: Partial<EventData> = {}): EventData => ({
  ...newEvent({ postingId: ids.posting }),
  type: 'PostingClosed',
  ...change,
});
const write = (log: EventStore, ...events: EventData[]) =>
  appended(log, { stream: `posting-${ids.posting}`, expectedRevision: NO_STREAM, events });

const given = async (...events: EventData[]): Promise<void> => {
  const log = await openLogHere(join(directory, 'events.db'));
  try {
    await write(log, ...events);
  } finally {
    await log.close();
  }
};

const types = (more: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
  runCli(directory, ['history', 'types', ...more], { ...configured, ...environment });

/** The same, asked of a service on the stores, from where there are none. */
const typesOfService = async (more: readonly string[] = []) => {
  const { url } = serving ?? (serving = await serveHere(directory));
  const elsewhere = join(directory, 'elsewhere');
  await mkdir(elsewhere, { recursive: true });
  return runCli(elsewhere, ['history', 'types', ...more, '--from', url], {
    HIRING_API_KEY: processKeys.client,
    HIRING_TOKEN: await tokenFor(claims.analyst),
  });
};

/** Where and by which code an answer was made. */
const madeAt = (position: number) =>
  new RegExp(`^hiring: at position 0*${position} (?:\\(\\S+Z\\), |, )?by version \\d\\S+$`);

/** The listed members that most tests compare. */
const listed = (stdout: string) =>
  (JSON.parse(stdout) as { type: string; version: number; events: number; reading: string }[]).map(
    ({ type, version, events, reading }) => ({ type, version, events, reading }),
  );

const suite = (ask: typeof typesOfService): void => {
  it('lists what the log holds beside a running service, and ends with 0', async () => {
    // Given a service that has recorded an office twice, and a professional
    serving = await serveHere(directory);
    const service = serving;
    const put = (path: string, body: unknown) => sendTo(service, 'PUT', `/internal/${path}`, { body });
    await put(`offices/${ids.office}`, bodies.office);
    await put(`offices/${ids.office}`, { ...bodies.office, officeName: 'Calm Dental' });
    await put(`professionals/${ids.professional}`, bodies.professional);

    // When
    const [table, json] = [await ask(), await ask(['--json'])];

    // Then
    expect([table.code, json.code]).to.deep.equal([0, 0]);
    for (const { stderr } of [table, json]) expect(stderr.trimEnd()).to.match(madeAt(4));
    expect(listed(json.stdout)).to.deep.equal([
      { type: 'OfficeRecorded', version: 1, events: 2, reading: 'readable' },
      { type: 'ProfessionalRecorded', version: 1, events: 1, reading: 'readable' },
      { type: 'UserNamedByProfessional', version: 1, events: 1, reading: 'readable' },
    ]);
    const [headings, office] = table.stdout.split('\n');
    expect(headings).to.match(/^type +version +events +first position +recorded at +last position +recorded at$/);
    expect(office).to.match(/^OfficeRecorded +1 +2 +0{15}1 +\d{4}-\S+Z +0{15}2 +\d{4}-\S+Z +readable$/);
    // And as it was at an earlier moment
    expect(listed((await ask(['--json', '--at', '2'])).stdout)).to.deep.equal([
      { type: 'OfficeRecorded', version: 1, events: 2, reading: 'readable' },
    ]);
    expect(await serving.end()).to.equal(0);
  });

  it('ends with 1, and says which, when the log holds a newer version or an unknown type', async () => {
    await given(closed(), closed({ version: 2 }), closed({ version: 2 }), closed({ type: 'PostingVanished' }));
    const { code, stdout, stderr } = await ask();
    expect(code).to.equal(1);
    expect(stdout).to.match(/^PostingClosed +1 +1 .* readable$/m);
    expect(stdout).to.match(/^PostingClosed +2 +2 .* newer than this code, which reads up to v1$/m);
    expect(stdout).to.match(/^PostingVanished +1 +1 .* unknown type$/m);
    const [made, complaint] = stderr.split('\n');
    expect(made).to.match(madeAt(4));
    expect(complaint).to.equal("hiring: This code cannot read 3 of the log's events");

    const json = await ask(['--json']);
    expect(json.code).to.equal(1);
    expect(listed(json.stdout)).to.deep.equal([
      { type: 'PostingClosed', version: 1, events: 1, reading: 'readable' },
      { type: 'PostingClosed', version: 2, events: 2, reading: 'newer' },
      { type: 'PostingVanished', version: 1, events: 1, reading: 'unknown-type' },
    ]);
  });

  it('lists what something else wrote to the file as foreign, and ends with 1', async () => {
    await given(closed());
    await writeForeign({ kind: 'sqlite', path: join(directory, 'events.db') }, 'posting-a', 'Strange');
    const { code, stdout, stderr } = await ask();
    expect(code).to.equal(1);
    expect(stdout).to.match(/^PostingClosed +1 +1 .* readable$/m);
    expect(stdout).to.match(/^Strange +0 +1 .* foreign: this service cannot have written them$/m);
    expect(stderr).to.match(/^hiring: at .*\nhiring: This code cannot read 1 of the log's events\n$/);
  });
};

describe('hiring history types', function () {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-types-'));
  });
  afterEach(async () => {
    await endLeftServices();
    serving = undefined;
    await rm(directory, { recursive: true });
  });

  suite(types);
  describe('asked of a service', () => suite(typesOfService));

  it('ends with 2 and one line when the log cannot be read', async () => {
    await writeFile(join(directory, 'events.db'), 'this is no database, but a text that is long enough');
    expect(await types()).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: 'hiring: EVENT_STORE_URL names a log that cannot be read: file is not a database\n',
    });
  });

  // EventStoreDB is given 4.5 s to answer.
  it('ends with 2 and one line when the server does not answer', async () => {
    const away = { EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false', READ_MODEL_URL: 'mongodb://127.0.0.1:1/none' };
    expect(await types([], away)).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: 'hiring: EVENT_STORE_URL names a log that cannot be read: EventStoreDB does not answer\n',
    });
  });

  withServer('hiring history types on EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
    /** The command must not connect to the read models: their URL leads nowhere. */
    const onServers = (prefix: string) => ({
      EVENT_STORE_URL: url,
      EVENT_STORE_PREFIX: prefix,
      READ_MODEL_URL: 'mongodb://127.0.0.1:1/none',
    });

    it('lists what the log of EventStoreDB holds', async () => {
      const prefix = newPrefix();
      const log = openEventStoreDb({ url, prefix, categories: ['posting'] });
      await write(log, closed(), closed({ version: 2 }));
      await log.close();
      const { code, stdout } = await types(['--json'], onServers(prefix));
      expect(code).to.equal(1);
      expect(listed(stdout)).to.deep.equal([
        { type: 'PostingClosed', version: 1, events: 1, reading: 'readable' },
        { type: 'PostingClosed', version: 2, events: 1, reading: 'newer' },
      ]);
    });

    it('lists what something else wrote to a stream of the service as foreign, and ends with 1', async () => {
      const prefix = newPrefix();
      const client = EventStoreDBClient.connectionString(url);
      await client.appendToStream(`${prefix}posting-a`, jsonEvent({ type: 'Strange', data: {}, metadata: {} }));
      await client.dispose();
      const { code, stdout, stderr } = await types([], onServers(prefix));
      expect(code).to.equal(1);
      expect(stdout).to.match(/^Strange +0 +1 .* foreign: this service cannot have written them$/m);
      expect(stderr).to.match(/^hiring: at .*\nhiring: This code cannot read 1 of the log's events\n$/);
    });
  });
});
