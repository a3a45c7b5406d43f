import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
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
const questionOf = async (user: string): Promise<string> =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${processKeys.client}\r\nAuthorization: Bearer ${await tokenOf(user)}\r\n\r\n`;

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

interface Command {
  readonly child: ChildProcess;
  /** What it has written to standard error so far. */
  readonly said: () => string;
  /** Resolves to its exit code. */
  readonly ended: Promise<number | null | undefined>;
}

describe('The places of the history, taken by clients that do not read', function () {
  // It waits for the decided time itself: 30 s, for all cases at once.
  this.timeout(120_000);
  let directory: string;
  let service: Running;
  let idle: number;
  let stalled: HostileSocket;
  let slow: ReturnType<typeof readingSlowly>;
  let exporting: Command;
  let searching: Command;

  /** Begins a command of the history that asks the service. */
  const begin = async (user: string, ...args: readonly string[]): Promise<Command> => {
    const variables = { HIRING_API_KEY: processKeys.client, HIRING_TOKEN: await tokenOf(user) };
    const child = spawnCli(directory, ['history', ...args, '--from', service.url], variables);
    let said = '';
    child.stderr?.on('data', (text: Buffer) => (said += text.toString()));
    const ended = once(child, 'close').then(([code]: (number | null)[]) => code);
    return { child, said: () => said, ended };
  };
  const asking = async (user: string) =>
    exchange(service.url, { method: 'GET', path: '/history/events?limit=1', bearer: await tokenOf(user) });

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-readers-'));
    await writeLog(directory);
    service = await serveProcess(directory);
    const { url } = service;
    await eventually('the history is opened', async () => (await asking('ana')).status === 200);
    idle = (await readFigures(url)).openConnections;

    const out = join(directory, 'exported');
    const exportArgs = ['export', '--format', 'ndjson', '--throttle', '2000', '--out', out];
    exporting = await begin('cyd', ...exportArgs);
    const file = join(out, 'events.ndjson');
    await eventually('the export is under way', () => existsSync(file) && statSync(file).size > 0);
    exporting.child.kill('SIGSTOP');
    // Nothing reads what it prints.
    searching = await begin('ana', 'search', '--json', '--limit', String(EVENTS));
    await eventually('the search is under way', () => searching.said().includes('up to position'));
    stalled = withBlankLines(await openHostile(url, await questionOf('ana'), { isReading: false }));
    slow = readingSlowly(await openHostile(url, await questionOf('ben')));
    await eventually('the slow client reads', () => slow.received() !== '');
  });
  after(async () => {
    for (const { socket } of [stalled, slow]) socket.destroy();
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  it('are refused while all are taken', async () => {
    const { status, headers, body } = await asking('dan');
    expect([status, headers.get('Retry-After')]).to.deep.equal([429, '1']);
    expect(body).to.deep.equal({ error: '4 questions about the history are being answered already' });
  });

  it('are given up after 30 s, whatever the client sends', async () => {
    await eventually('there is a place', async () => (await asking('dan')).status === 200, UNREAD_MS + SLACK_MS);
    expect(await stalled.closed).to.be.within(UNREAD_MS, UNREAD_MS + SLACK_MS);
  });

  it('stay with a client that reads slowly, which gets all of its answer', async () => {
    expect(slow.socket.closed).to.equal(false);
    slow.letGo();
    slow.socket.resume();
    await eventually('it has all', () => slow.received().endsWith('\n\r\n0\r\n\r\n'));
    expect(slow.received().match(/"type":"SpecialtyRecorded"/g)).to.have.length(EVENTS);
  });

  describe('are taken again by a command whose answer was cut, which then gives the same as from the stores:', () => {
    const whole = () => join(directory, 'whole');
    before(async () => {
      slow.socket.destroy();
      const connections = async () => (await readFigures(service.url)).openConnections;
      await eventually('the answers are cut', async () => (await connections()) <= idle, UNREAD_MS + SLACK_MS);
      await runProcess(directory, ['history', 'export', '--format', 'ndjson', '--out', whole()]);
    });
    const CUT = /^hiring: http:\S+ ended its answer too early: .+; it is asked for the rest$/m;

    it('an export that stood still', async () => {
      exporting.child.kill('SIGCONT');
      expect(await exporting.ended, exporting.said()).to.equal(0);
      expect(exporting.said()).to.match(CUT);
      for (const name of ['events.ndjson', 'manifest.json']) {
        const [one, other] = await Promise.all(
          [join(directory, 'exported'), whole()].map((each) => readFile(join(each, name), 'utf8')),
        );
        expect(one === other, name).to.equal(true);
      }
    });

    it('a search into a pipe that was not read', async () => {
      let printed = '';
      searching.child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
      expect(await searching.ended, searching.said()).to.equal(0);
      expect(searching.said()).to.match(CUT);
      expect(printed === (await readFile(join(whole(), 'events.ndjson'), 'utf8'))).to.equal(true);
    });
  });
});
