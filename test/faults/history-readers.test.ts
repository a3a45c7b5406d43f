import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v4 as newId } from 'uuid';
import { expect } from 'chai';
import { openHostile, type HostileSocket } from '../http/hostile-socket.ts';
import { eventually } from '../support/eventually.ts';
import { claims, times } from '../support/examples.ts';
import {
  exchange,
  killLeftProcesses,
  processKeys,
  runProcess,
  serveProcess,
  spawnCli,
  type Running,
} from '../support/process.ts';
import { readFigures } from '../support/process-figures.ts';
import { tokenFor } from '../support/service.ts';
import { openLogHere } from '../support/threads-here.ts';

/** More than the systems at both ends of a connection hold, also compressed: events of 6 KB. */
const EVENTS = 6_000;
const A_BATCH = 500;
const PROCEDURES = 25;
const unpackable = (): string => randomBytes(150).toString('base64');
const UNREAD_MS = 30_000;
/** Tolerance for a busy machine. */
const SLACK_MS = 10_000;

const procedures = () =>
  Array.from({ length: PROCEDURES }, (_, index) => ({ id: `procedure-${index}`, name: unpackable() }));

const writeLog = async (directory: string): Promise<void> => {
  const log = await openLogHere(join(directory, 'events.db'));
  const causes = { $correlationId: 'before', $causationId: 'before', requestId: 'before' };
  for (let from = 0; from < EVENTS; from += A_BATCH) {
    const events = Array.from({ length: A_BATCH }, () => ({
      id: newId(),
      type: 'SpecialtyRecorded',
      version: 1,
      data: { specialtyId: 's1', name: 'Orthodontics', procedures: procedures() },
      metadata: { ...causes, actor: 'key:back-office', recordedAt: times.start },
    }));
    const { kind } = await log.append({ stream: 'specialty-s1', expectedRevision: from - 1, events });
    expect(kind).to.equal('appended');
  }
  await log.close();
};

const tokenOf = (user: string) => tokenFor({ ...claims.analyst, sub: user });
const path = `/history/events?limit=${EVENTS}`;
const questionOf = async (user: string, headers = ''): Promise<string> =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${processKeys.client}\r\nAuthorization: Bearer ${await tokenOf(user)}\r\n${headers}\r\n`;

/** Sends a blank line now and then, for as long as the connection is open: traffic that is no reading. */
const withBlankLines = (client: HostileSocket): HostileSocket => {
  const timer = setInterval(() => client.socket.write('\r\n'), 2_000);
  void client.closed.then(() => clearInterval(timer));
  return client;
};

/** Reads a quarter of a megabyte in a second, until it is let go. */
const readingSlowly = (client: HostileSocket) => {
  let isSlow = true;
  client.socket.on('data', () => {
    if (!isSlow) return;
    client.socket.pause();
    setTimeout(() => client.socket.resume(), 250);
  });
  return { ...client, letGo: () => (isSlow = false) };
};

describe('The places of the history, taken by clients that do not read', function () {
  // It waits for the decided time itself: 30 s, for all cases at once.
  this.timeout(120_000);
  let directory: string;
  let service: Running;
  let idle: number;
  let stalled: readonly HostileSocket[] = [];
  let slow: ReturnType<typeof readingSlowly>;
  let exporting: ChildProcess;
  let said = '';

  const asking = async (user: string) =>
    exchange(service.url, { method: 'GET', path: '/history/events?limit=1', bearer: await tokenOf(user) });

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-readers-'));
    await writeLog(directory);
    service = await serveProcess(directory);
    const { url } = service;
    await eventually('the history is opened', async () => (await asking('ana')).status === 200);
    idle = (await readFigures(url)).openFiles;

    await mkdir(join(directory, 'elsewhere'));
    const out = join(directory, 'elsewhere', 'out');
    const args = [
      'history',
      'export',
      '--format',
      'ndjson',
      '--throttle',
      '2000',
      '--out',
      out,
      '--from',
      url,
    ];
    const variables = { HIRING_API_KEY: processKeys.client, HIRING_TOKEN: await tokenOf('cyd') };
    exporting = spawnCli(join(directory, 'elsewhere'), args, variables);
    exporting.stderr?.on('data', (text: Buffer) => (said += text.toString()));
    const file = join(out, 'events.ndjson');
    await eventually('the export is under way', () => existsSync(file) && statSync(file).size > 0);
    exporting.kill('SIGSTOP');
    stalled = [
      withBlankLines(await openHostile(url, await questionOf('ana'), { isReading: false })),
      withBlankLines(
        await openHostile(url, await questionOf('ana', 'Accept-Encoding: gzip\r\n'), { isReading: false }),
      ),
    ];
    slow = readingSlowly(await openHostile(url, await questionOf('ben')));
    await eventually('the slow client reads', () => slow.received() !== '');
  });
  after(async () => {
    for (const { socket } of [...stalled, slow]) socket.destroy();
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  it('are refused while all are taken', async () => {
    const { status, headers, body } = await asking('dan');
    expect([status, headers.get('Retry-After')]).to.deep.equal([429, '1']);
    expect(body).to.deep.equal({ error: '4 questions about the history are being answered already' });
  });

  it('are given up after 30 s, whatever the client sends', async () => {
    await eventually(
      'there is a place',
      async () => (await asking('dan')).status === 200,
      UNREAD_MS + SLACK_MS,
    );
    for (const { closed } of stalled) expect(await closed).to.be.within(UNREAD_MS, UNREAD_MS + SLACK_MS);
  });

  it('stay with a client that reads slowly, which gets all of its answer', async () => {
    expect(slow.socket.closed).to.equal(false);
    slow.letGo();
    slow.socket.resume();
    await eventually('it has all', () => slow.received().endsWith('\n\r\n0\r\n\r\n'));
    expect(slow.received().match(/"type":"SpecialtyRecorded"/g)).to.have.length(EVENTS);
  });

  it('are taken again by an export that stood still, which makes the same bytes as from the stores', async () => {
    const files = async () => (await readFigures(service.url)).openFiles;
    slow.socket.destroy();
    await eventually('its answer is cut', async () => (await files()) <= idle, UNREAD_MS + SLACK_MS);
    exporting.kill('SIGCONT');
    const [code] = (await once(exporting, 'close')) as [number | null];
    expect(code, said).to.equal(0);
    expect(said).to.match(
      /^hiring: http:\S+ ended its answer too early: .+; it is asked for the rest$/m,
      said,
    );
    const whole = join(directory, 'whole');
    const { stderr } = await runProcess(directory, [
      'history',
      'export',
      '--format',
      'ndjson',
      '--out',
      whole,
    ]);
    for (const name of ['events.ndjson', 'manifest.json']) {
      const [one, other] = await Promise.all(
        [join(directory, 'elsewhere', 'out'), whole].map((each) => readFile(join(each, name))),
      );
      expect(one?.equals(other ?? Buffer.from('')), `${name}: ${stderr}`).to.equal(true);
    }
  });
});
