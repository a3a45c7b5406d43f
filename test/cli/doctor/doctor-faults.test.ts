import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { diagnoseEventIntegrity } from '../../../src/cli/doctor/event-log.ts';
import { NO_STREAM, START_POSITION, type EventData } from '../../../src/event-store/port.ts';
import { appended } from '../../contract/new-events.ts';
import { production } from '../../config/environments.ts';
import { metadata } from '../../support/examples.ts';
import { runCli } from '../../support/cli.ts';
import { configured, environmentOf, CLI, serveProcess } from '../../support/process.ts';
import { openLogHere } from '../../support/threads-here.ts';
import { itWith, NOBODY, otherUsers } from '../../support/tools.ts';
import { nth, worlds, type World } from '../projections/world.ts';

const NAME = 'specialties';
const build = nth(NAME, 1);
const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

const isRoot = process.getuid?.() === 0;

const change = (world: World, record: string): void =>
  world.execute('projections.db', `UPDATE catalogue SET entry = json_set(entry, ${record}) WHERE name = '${NAME}'`);

/** Appends events that were recorded at a time. */
const record = async (directory: string, stream: string, at: string, events: readonly Partial<EventData>[]) => {
  const log = await openLogHere(join(directory, 'events.db'));
  await appended(log, {
    stream,
    expectedRevision: NO_STREAM,
    events: events.map((event, index) => ({
      id: `${stream} ${index}`,
      type: 'SpecialtyRecorded',
      version: 1,
      data: {},
      ...event,
      metadata: { ...metadata, recordedAt: at },
    })),
  });
  await log.close();
};

const backupAct = (day: string, phase: string): Partial<EventData> => ({
  type: 'OperatorActed',
  data: { day, actId: 'a1', operation: 'backup', parameters: { to: '/backups/old.db' }, phase, detail: null },
});

interface Fault {
  readonly what: string;
  readonly plant: (world: World) => Promise<void> | void;
  /** The line that finds it: what is wrong, and what helps. */
  readonly found: RegExp;
  /** Needs root, to give files to another user or to run as one. */
  readonly isOfRoot?: true;
  /** Is one in production alone. */
  readonly isOfProduction?: true;
}

const inLog = (world: World) => join(world.directory, 'events.db');
const readModel = (world: World) => join(world.directory, `read-models.db.${build}`);

/** Leaves nothing in the write-ahead log, which SQLite would read in the file's place. */
const foldIn = (world: World): void => world.execute('events.db', 'PRAGMA wal_checkpoint(TRUNCATE)');

/** What an operator may find at night. */
const faults: readonly Fault[] = [
  {
    what: 'an event log that was cut off',
    plant: async (world) => {
      foldIn(world);
      const { length } = await readFile(inLog(world));
      await truncate(inLog(world), Math.floor(length / 2));
    },
    found: /BAD {2}event log +\S+events\.db is damaged, .*; hiring check .* hiring restore --from/,
  },
  {
    what: 'an event log that is garbage',
    plant: (world) => {
      foldIn(world);
      return writeFile(inLog(world), 'garbage'.repeat(1_000));
    },
    found: /BAD {2}event log +\S+events\.db is damaged, .*file is not a database.*; hiring check/,
  },
  {
    what: 'an event log of no bytes',
    plant: (world) => writeFile(inLog(world), ''),
    found: /BAD {2}event log +\S+events\.db is empty; .*hiring restore --from/,
  },
  {
    what: 'an event log that is gone',
    plant: (world) => rm(inLog(world)),
    found:
      /BAD {2}event log +\S+events\.db is not there, and \S+ holds .*projections\.db.*; is DATA_DIR right.*hiring restore/,
  },
  {
    what: 'an event in which a bit was flipped',
    plant: (world) => world.execute('events.db', "UPDATE events SET data = replace(data, 'e', 'd') WHERE position = 3"),
    found:
      /BAD {2}event log +the file of the log is damaged at position 0+3: the stored event does not match its checksum; of \S+-\S+; hiring check .* hiring restore --from/,
  },
  {
    what: 'an event log without its end, as one that was copied without its -wal',
    plant: (world) => world.execute('events.db', 'DELETE FROM events WHERE position > 5; PRAGMA user_version = 5'),
    found: /BAD {2}event log +\S+ is an older state of its event log \S+: .*; put back what belongs to it \(its -wal\)/,
  },
  {
    what: 'a read model of no bytes',
    plant: (world) => writeFile(readModel(world), ''),
    found: /BAD {2}read models +\S+specialties@\S+ is damaged: it is empty; hiring projections rebuild specialties/,
  },
  {
    what: 'a read model whose header is garbage',
    plant: async (world) => writeFile(readModel(world), Buffer.from(await readFile(readModel(world))).fill(7, 0, 100)),
    found: /BAD {2}read models +\S+specialties@\S+ is damaged: .*; hiring projections rebuild specialties/,
  },
  {
    what: 'a read model that is gone',
    plant: (world) => rm(readModel(world)),
    found:
      /BAD {2}read models +\S+specialties@\S+ is not there; the next start builds it anew, as hiring projections rebuild specialties/,
  },
  {
    what: 'a read model of newer code',
    plant: (world) =>
      change(world, `'$.live', '${NAME}@99.1', '$.builds[0].id', '${NAME}@99.1', '$.builds[0].version', 99`),
    found:
      /BAD {2}read models +specialties@99\.1 is served, and is of newer code.*; start the newer code, or hiring projections rollback/,
  },
  {
    what: 'a build registry that is garbage',
    plant: (world) => writeFile(join(world.directory, 'projections.db'), 'garbage'.repeat(1_000)),
    found: /BAD {2}build registry +\S+projections\.db is damaged: .*; .*hiring serve/,
  },
  {
    what: 'a build registry that is gone',
    plant: (world) => rm(join(world.directory, 'projections.db')),
    found: /BAD {2}build registry +\S+projections\.db is not there: pauses .*; hiring serve/,
  },
  {
    what: 'a parked stream',
    plant: (world) => {
      const parked = [
        {
          stream: 'specialty-odd',
          revision: 1,
          position: '0000000000000007',
          event: 'e7',
          type: 'SpecialtyRecorded',
          error: 'It has no name',
          stack: '',
          at: daysAgo(1),
          release: 0,
          underWay: 0,
        },
      ];
      world.execute(
        `read-models.db.${build}`,
        `UPDATE projection SET checkpoint = json_set(checkpoint, '$.parked', json('${JSON.stringify(parked)}'))`,
      );
    },
    found:
      /BAD {2}read models +specialties@\S+: 1 stream is parked, specialty-odd at SpecialtyRecorded at 0+7: It has no name; after a fix hiring projections retry specialties/,
  },
  {
    what: 'a pause that was forgotten for days',
    plant: (world) => change(world, `'$.paused', json('{"since":"${daysAgo(3)}","by":"os:ada"}')`),
    found: /BAD {2}read models +specialties is paused since \S+ by os:ada; hiring projections resume specialties/,
  },
  {
    what: 'a build that has stopped',
    plant: (world) =>
      change(
        world,
        `'$.builds[1]', json_set(json_extract(entry, '$.builds[0]'), '$.id', '${nth(NAME, 2)}', '$.step', 'stopped', '$.stoppedBy', 'a poison event')`,
      ),
    found:
      /BAD {2}read models +specialties@\S+2 has stopped: a poison event; after a fix hiring projections rebuild specialties/,
  },
  {
    what: 'a rollback that was left in place',
    plant: async (world) => {
      for (const act of ['rebuild', 'rollback']) expect((await world.projections(act, NAME)).code).to.equal(0);
    },
    found:
      /BAD {2}read models +specialties@\S+1 is served since a rollback, and the newer specialties@\S+2 is kept beside it; hiring projections verify specialties .* rollback specialties --to specialties@\S+2/,
  },
  {
    what: 'a read model of another event log',
    plant: (world) =>
      world.execute(
        `read-models.db.${build}`,
        `UPDATE projection SET checkpoint = json_set(checkpoint, '$.first.id', 'of-staging')`,
      ),
    found:
      /BAD {2}event log +\S+events\.db holds the event log \S+, and \S+specialties@\S+1 was made from of-staging, such as that of another environment; .*; move that file of read models elsewhere, and the start builds it anew/,
  },
  {
    what: 'a clock that stands before the last event',
    plant: (world) => record(world.directory, 'specialty-late', daysAgo(-2), [{}]),
    found: /BAD {2}clock +it says \S+Z \(UTC\), 172\d{3} s before the last event, of \S+; timedatectl/,
  },
  {
    what: 'a backup that is weeks old',
    plant: async (world) => {
      await rm(inLog(world));
      for (const suffix of ['-wal', '-shm']) await rm(inLog(world) + suffix, { force: true });
      const day = daysAgo(20).slice(0, 10);
      const acts = [backupAct(day, 'requested'), backupAct(day, 'completed')];
      await record(world.directory, `audit-${day}`, daysAgo(20), acts);
    },
    found: /BAD {2}backup +the last is of \S+, \/backups\/old\.db, which is not there now; hiring backup --to <file>/,
  },
  {
    what: 'a backup that was cut off',
    plant: async (world) => {
      const backup = join(world.directory, 'nightly');
      expect((await runCli(world.directory, ['backup', '--to', backup])).code).to.equal(0);
      await truncate(backup, 4_096);
    },
    found: /BAD {2}backup +the last is of \S+, \S+nightly: it has 4096 of \d+ bytes, and cannot be restored; /,
  },
  {
    what: 'an old event log without any backup',
    isOfProduction: true,
    plant: async (world) => {
      await rm(inLog(world));
      for (const suffix of ['-wal', '-shm']) await rm(inLog(world) + suffix, { force: true });
      await record(world.directory, 'specialty-first', daysAgo(30), [{}]);
    },
    found: /BAD {2}backup +none is known since \S+; hiring backup --to <file>/,
  },
  {
    what: 'the lock of a process that was killed',
    plant: async (world) => {
      await writeFile(join(world.directory, 'owner.lock-journal'), '');
      await writeFile(join(world.directory, 'owner.pid'), '999999999');
    },
    found: /BAD {2}data directory +\S+ was left by process 999999999, there since \S+, which was killed; hiring serve/,
  },
  {
    what: 'a file of another user',
    isOfRoot: true,
    plant: (world) => chown(readModel(world), NOBODY.uid, NOBODY.gid),
    found: /BAD {2}owners +\S+specialties@\S+ belongs to user 65534, and most there to user 0; chown --reference=/,
  },
];

describe('hiring doctor, at night', () => {
  const { make, copy, end } = worlds();
  let world: World;
  before(make);
  beforeEach(async () => {
    world = await copy();
  });
  after(end);
  const doctor = (more: Readonly<Record<string, string>> = configured) => runCli(world.directory, ['doctor'], more);

  it('says how far it came with the events where there was no time for all of them', async () => {
    const settings = { kind: 'sqlite', path: inLog(world) } as const;
    const texts = (await diagnoseEventIntegrity(settings, AbortSignal.abort())).map(({ text }) => text);
    expect(texts).to.deep.equal([
      `its events are verified up to position ${START_POSITION} in 30 s; hiring check verifies the rest`,
    ]);
  });

  it('finds a sound directory well', async () => {
    const { code, stdout, stderr } = await doctor();
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).not.to.include('BAD');
  });

  it('takes read models that a restore has removed for none to be missed', async () => {
    const backup = join(world.directory, 'backup');
    for (const args of [
      ['backup', '--to', backup],
      ['restore', '--from', backup, '--replace'],
    ])
      expect((await runCli(world.directory, args)).code).to.equal(0);
    const { code, stdout } = await doctor();
    expect(stdout).to.match(/ok {3}read models +the next start builds posting-candidates, .*, entity-streams\n/);
    expect(code).to.equal(0);
  });

  for (const { what, plant, found, isOfRoot, isOfProduction } of faults)
    it(`finds ${what}, and says what helps`, async function () {
      if (isOfRoot && !isRoot) {
        console.log('      skipped: giving a file to another user takes root');
        this.skip();
      }
      await plant(world);
      const { code, stdout, stderr } = await doctor(isOfProduction ? production : configured);
      expect(stdout).to.match(found);
      expect(stdout).not.to.match(/BAD {2}event log +the file of the log is damaged[^]*events are verified/);
      expect(stdout, 'what the command itself makes').not.to.match(/-(?:shm|wal) belongs to/);
      expect([code, stderr]).to.deep.equal([1, '']);
    });

  it('finds a directory that is no data directory, and makes nothing there', async () => {
    const directory = join(world.directory, 'photos');
    await mkdir(directory);
    await writeFile(join(directory, 'cat.jpg'), '');
    const { code, stdout } = await doctor({ ...configured, DATA_DIR: directory });
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /BAD {2}event log +\S+events\.db is not there, and \S+photos holds cat\.jpg; is DATA_DIR right/,
    );
  });

  it('finds the port taken, and by whom', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = String(typeof address === 'object' ? address?.port : 0);
    const { code, stdout } = await doctor({ ...configured, PORT: port });
    const { stdout: ofMetrics } = await doctor({ ...configured, PORT: '0', METRICS_PORT: port });
    server.close();
    expect(code).to.equal(1);
    expect(stdout).to.match(
      new RegExp(`BAD {2}port +the service cannot listen at 127\\.0\\.0\\.1:${port}: .*EADDRINUSE`),
    );
    expect(ofMetrics).to.match(
      new RegExp(`BAD {2}port +metrics cannot be served at 127\\.0\\.0\\.1:${port}: .*EADDRINUSE`),
    );
    if (process.platform === 'linux') expect(stdout).to.include(`in use by process ${process.pid} (`);
  });

  it('finds the port taken by a service whose files were moved away', async () => {
    const service = await serveProcess(world.directory);
    const moved = `${world.directory}-moved`;
    await rename(world.directory, moved);
    const { code, stdout } = await doctor({ ...configured, PORT: new URL(service.url).port });
    await rename(moved, world.directory);
    await service.end('SIGTERM');
    expect(code).to.equal(1);
    const where = process.platform === 'linux' ? `: on ${moved}/events\\.db` : '';
    expect(stdout).to.match(
      new RegExp(`BAD {2}port +a service listens at .* runs on other files than \\S+events\\.db${where}`),
    );
  });

  itWith([otherUsers], 'finds a directory that this user may not write', async () => {
    // Where another user can reach it
    const directory = `${world.directory}-readable`;
    await cp(world.directory, directory, { recursive: true });
    execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, directory]);
    await chmod(directory, 0o555);
    const child = spawn(process.execPath, [CLI, 'doctor'], {
      cwd: '/',
      env: environmentOf(directory, configured),
      ...NOBODY,
    });
    let stdout = '';
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    const [code] = (await once(child, 'close')) as [number];
    await chmod(directory, 0o755);
    await rm(directory, { recursive: true });
    expect(stdout).to.match(/BAD {2}data directory +EACCES.*; chown or chmod/);
    expect(code).to.equal(1);
  });

  for (const [what, options, found] of [
    [
      'that is read-only',
      'ro',
      /BAD {2}data directory +EROFS.*; mount says which .* remount,rw makes it writable\n[^]*ok {3}disk /,
    ],
    ['that is full', 'size=1m', /BAD {2}disk +[\d.]+ [kM]B of 1\.0 MB are free: too little; du -xhd2 /],
    ['without inodes', 'nr_inodes=20', /BAD {2}disk +only \d+ more files can be made: the inodes are used up; df -i /],
  ] as const)
    it(`finds a disk ${what}`, async function () {
      const directory = join(world.directory, 'small');
      await mkdir(directory);
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory], { stdio: 'ignore' });
      } catch {
        console.log('      skipped: mounting a small file system takes root');
        this.skip();
      }
      const { code, stdout } = await doctor({ ...configured, DATA_DIR: directory });
      execFileSync('umount', ['-l', directory]);
      expect(code).to.equal(1);
      expect(stdout).to.match(found);
    });

  it('finds a service that was stopped', async () => {
    const service = await serveProcess(world.directory);
    process.kill(service.pid, 'SIGSTOP');
    const { code, stdout } = await doctor();
    await service.end('SIGKILL');
    expect(code).to.equal(1);
    const state = process.platform === 'linux' ? 'it is stopped, as by SIGSTOP; kill -CONT \\d+ continues it' : '';
    expect(stdout).to.match(
      new RegExp(`BAD {2}service +process \\d+, since \\S+, at http\\S+ DOES NOT ANSWER: ${state}`),
    );
  });
});
