import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { directoryForEach } from '../support/files.ts';
import { endLeftServices, runCli, serveHere } from '../support/cli.ts';
import { configured, killLeftProcesses, runProcess, sendTo, serveProcess } from '../support/process.ts';
import { openLogHere } from '../support/threads-here.ts';
import { untilReady } from '../support/service.ts';

const production = {
  ...configured,
  NODE_ENV: 'production',
  JWT_SECRET: 'hV5m6nW0qB1rT8xYz2c4KdLfGj7sPaQe',
  CODE_SECRET: 'kT3r9wQ1zX7vB5nM2pL8sD4fG6hJ0aYc',
  SMTP_URL: 'smtps://mail.example.com',
  SMS_WEBHOOK_URL: 'https://sms.example.com/send',
};
type Variables = Readonly<Record<string, string>>;

const IDENTITY = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
const OTHER = '01890000-0000-7000-8000-000000000000';

interface Served {
  readonly url: string;
  readonly lines: () => readonly string[];
  readonly end: () => Promise<number | null>;
}

/** How commands are run, and the service. */
interface Ways {
  readonly run: (directory: string, args: readonly string[], more: Variables) => ReturnType<typeof runCli>;
  readonly serve: (directory: string, more: Variables) => Promise<Served>;
}
const inThisProcess: Ways = {
  run: runCli,
  async serve(directory, more) {
    const service = await serveHere(directory, more);
    return { url: service.url, lines: () => service.printed().split('\n'), end: () => service.end() };
  },
};
/** Where files are put in the place of others, which SQLite may have open yet in this process. */
const inOthers: Ways = {
  async run(directory, args, more) {
    const { code, ...said } = await runProcess(directory, args, more);
    return { code: code ?? -1, ...said };
  },
  async serve(directory, more) {
    const service = await serveProcess(directory, more);
    return { url: service.url, lines: () => service.lines, end: () => service.end('SIGTERM') };
  },
};

const stageOf = (ways: Ways) => {
  const directory = directoryForEach('hiring-identity-');
  const inside = (name: string) => join(directory(), name);
  const data = () => inside('data');
  const file = (name: string) => join(data(), name);
  const run = (args: readonly string[], more: Variables = configured, where = data()) =>
    ways.run(directory(), args, { ...more, DATA_DIR: where });
  const serve = (more: Variables = configured, where = data()): Promise<Served> =>
    ways.serve(directory(), { ...more, DATA_DIR: where });
  const init = async (more: Variables = configured, where = data()): Promise<string> => {
    const { code, stdout, stderr } = await run(['init'], more, where);
    expect([code, stderr]).to.deep.equal([0, '']);
    return stdout.trim();
  };
  beforeEach(() => mkdir(data()));
  afterEach(() => {
    killLeftProcesses();
    return endLeftServices();
  });

  /** Runs a service until it is ready and offices are recorded in it; ends it. */
  const served = async (ids: readonly string[], more: Variables = configured, where = data()) => {
    const service = await serve(more, where);
    await untilReady(service.url);
    for (const id of ids) {
      const answer = await sendTo(service, 'PUT', `/internal/specialties/${id}`, {
        body: { name: id, procedures: [] },
      });
      expect(answer.status).to.equal(204);
    }
    expect(await service.end()).to.equal(0);
    return service;
  };
  /** What a start that is refused says; the files of the stores are those that were there. */
  const refusal = async (more: Variables = configured): Promise<string> => {
    const stored = async () => (await readdir(data())).filter((name) => !/^owner\.|-(?:shm|wal)$/.test(name)).sort();
    const before = await stored();
    const { code, stdout, stderr } = await run(['serve'], more);
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.match(/^hiring: [^\n]*\n$/);
    expect(await stored()).to.deep.equal(before);
    return stderr;
  };
  const warningsOf = ({ lines }: Served): readonly string[] =>
    lines()
      .filter((line) => /"level":(?:4|5|6)0/.test(line))
      .map((line) => (JSON.parse(line) as { msg: string }).msg);

  return { inside, data, file, run, serve, init, served, refusal, warningsOf };
};

describe('the identity of an event log', () => {
  const { data, file, run, serve, init, refusal, warningsOf } = stageOf(inThisProcess);

  it('is printed by hiring init, which records who has begun it, and begins none twice', async () => {
    const id = await init();
    expect(id).to.match(IDENTITY);
    const { stdout } = await run(['history', 'audit', '--json']);
    expect(stdout).to.include('"operation": "init"').and.to.include(id);

    const again = await run(['init']);
    expect([again.code, again.stdout]).to.deep.equal([2, '']);
    expect(again.stderr).to.equal(
      `hiring: ${file('events.db')} holds the event log ${id} already: nothing was changed\n`,
    );
  });

  describe('in production', () => {
    it('is begun by no start by itself, which says what is missing and how one is begun', async () => {
      expect(await refusal(production)).to.equal(
        `hiring: ${data()} is empty, or not mounted: there is no event log, and production begins none by itself; if there was one, mount or restore it; otherwise run hiring init once, or start with EVENT_LOG_INIT=true\n`,
      );
      writeFileSync(file('notes'), '');
      expect(await refusal(production)).to.include(`${file('events.db')} is not there: there is no event log`);
      writeFileSync(file('events.db'), '');
      expect(await refusal(production)).to.include(`${file('events.db')} is empty: there is no event log`);
    });

    it('is begun by no act that is recorded', async () => {
      const { code, stdout, stderr } = await run(['token', '--user', 'ann'], production);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.include('There is no event log to read');
      expect(await readdir(data())).to.deep.equal([]);

      // Given one with tables and without events
      await (await openLogHere(file('events.db'))).close();
      for (const args of [
        ['token', '--user', 'ann'],
        ['history', 'search', '--personal-data', '--reason', 'a question'],
      ])
        expect((await run(args, production)).stderr, args.join(' ')).to.include(
          'there is no event log, and production begins none by itself',
        );
    });

    it('is begun by hiring init, and then served', async () => {
      await init(production);
      const service = await serve(production);
      await untilReady(service.url);
      expect(warningsOf(service)).to.deep.equal([]);
      expect(await service.end()).to.equal(0);
    });

    it('is begun by EVENT_LOG_INIT=true once, of which later starts warn', async () => {
      const first = await serve({ ...production, EVENT_LOG_INIT: 'true' });
      await untilReady(first.url);
      await first.end();
      expect(warningsOf(first)).to.deep.equal([]);
      const second = await serve({ ...production, EVENT_LOG_INIT: 'true' });
      await untilReady(second.url);
      await second.end();
      expect(warningsOf(second)).to.deep.equal([
        `EVENT_LOG_INIT is true, and ${file('events.db')} holds an event log already: is it the right one? Remove the variable`,
      ]);
    });
  });

  describe('that EVENT_LOG_ID names', () => {
    it('is served alone', async () => {
      const id = await init();
      const service = await serve({ ...configured, EVENT_LOG_ID: id });
      await untilReady(service.url);
      expect(await service.end()).to.equal(0);
      expect(await refusal({ ...configured, EVENT_LOG_ID: OTHER })).to.equal(
        `hiring: EVENT_LOG_ID is ${OTHER}, and ${file('events.db')} holds the event log ${id}; allowed: the event log ${OTHER}, or EVENT_LOG_ID=${id}\n`,
      );
    });

    it('is not begun, by no start and no hiring init', async () => {
      expect(await refusal({ ...configured, EVENT_LOG_ID: OTHER })).to.equal(
        `hiring: EVENT_LOG_ID is ${OTHER}, and ${data()} is empty, or not mounted; with it no event log is begun: mount or restore it\n`,
      );
      const { code, stderr } = await run(['init'], { ...configured, EVENT_LOG_ID: OTHER });
      expect(code).to.equal(2);
      expect(stderr).to.include('with it no event log is begun');
      expect(await refusal({ ...configured, EVENT_LOG_ID: OTHER, EVENT_LOG_INIT: 'true' })).to.equal(
        'hiring: EVENT_LOG_INIT is true beside EVENT_LOG_ID, with which no event log is begun; allowed: one of the two\n',
      );
    });
  });
});

describe('the identity of an event log', function () {
  this.timeout(60_000);
  const { inside, data, file, run, serve, served, refusal, warningsOf } = stageOf(inOthers);

  describe('of files that are there', () => {
    const gone =
      /^hiring: .*read-models\.db\.\* or .*projections\.db was made from events: the event log ([0-9a-f-]{36} )?is gone; nothing was begun, and no read model was emptied; mount or restore it, or, if another one is to begin, remove .*read-models\.db\.\* and .*projections\.db\n$/;

    for (const [what, change] of [
      ['whose event log is gone', (events: string) => rmSync(events)],
      ['whose event log is empty', (events: string) => writeFileSync(events, '')],
    ] as const)
      it(`${what}: no start, told to begin one or not`, async () => {
        await served(['a', 'b']);
        change(file('events.db'));
        expect(await refusal()).to.match(gone);
        expect(await refusal({ ...configured, EVENT_LOG_INIT: 'true' })).to.match(gone);
        const { code, stderr } = await run(['init']);
        expect([code, gone.test(stderr)]).to.deep.equal([2, true]);
        // Nor by a command that works on read models.
        expect((await run(['projections', 'rebuild', 'saved-postings'])).stderr).to.include(
          'There is no event log to read',
        );
      });

    /** Takes out of the files what older code does not write. */
    const asOlderCode = async (): Promise<void> => {
      for (const name of await readdir(data())) {
        const db = new Database(file(name));
        if (name === 'projections.db') db.exec('DROP TABLE IF EXISTS log');
        if (name.startsWith('read-models.db.'))
          db.exec("UPDATE projection SET checkpoint = json_remove(checkpoint, '$.first')");
        db.close();
      }
    };
    const notedOf = (name: string, sql: string): unknown => {
      const db = new Database(file(name), { readonly: true });
      try {
        return db.prepare(sql).raw().get([]);
      } finally {
        db.close();
      }
    };

    it('is noted at the first start on those that older code has filled', async () => {
      await served(['a', 'b']);
      await asOlderCode();
      await served(['c']);
      const first = notedOf('events.db', 'SELECT id FROM events WHERE position = 1');
      expect(notedOf('projections.db', 'SELECT id FROM log')).to.deep.equal(first);
      const [specialties = ''] = (await readdir(data())).filter((name) => name.includes('specialties@'));
      expect(notedOf(specialties, "SELECT checkpoint ->> '$.first.id' FROM projection")).to.deep.equal(first);
    });

    it('is gone also where the build registry alone is left of a service of older code', async () => {
      await served(['a']);
      await asOlderCode();
      for (const name of await readdir(data())) if (name !== 'projections.db') rmSync(file(name));
      expect(await refusal()).to.match(gone);
    });

    it('is not in an event log that was copied without its -wal', async () => {
      // Given a running service, whose file has no tables before a checkpoint
      const service = await serve();
      await untilReady(service.url);
      await sendTo(service, 'PUT', '/internal/specialties/a', { body: { name: 'a', procedures: [] } });
      cpSync(file('events.db'), inside('copied.db'));
      await service.end();
      cpSync(inside('copied.db'), file('events.db'));

      expect(await refusal())
        .to.match(gone)
        .and.to.include('has no tables, as one that was copied without its -wal file');
      await mkdir(inside('empty'));
      cpSync(inside('copied.db'), join(inside('empty'), 'events.db'));
      const elsewhere = await run(['serve'], production, inside('empty'));
      expect(elsewhere.stderr).to.include('has no tables').and.to.include('there is no event log');
    });

    it('is another one: no start, and the read models stay', async () => {
      await served(['a']);
      await served(['b'], configured, inside('other'));
      cpSync(join(inside('other'), 'events.db'), file('events.db'));
      const told = await refusal();
      expect(told).to.match(
        /holds the event log [0-9a-f-]{36}, and .* of [0-9a-f-]{36}; nothing was begun, and no read model was emptied; put that one there, or, if the other is meant, remove .*\n$/,
      );

      // When the operator means it
      for (const name of await readdir(data())) if (/^(?:read-models|projections)\.db/.test(name)) rmSync(file(name));
      await served(['c']);
    });

    it('is told by a command that makes builds anew, of which later only the doctor knows what was lost', async () => {
      await served(['a']);
      cpSync(file('events.db'), inside('older.db'));
      await served(['b', 'c']);
      cpSync(inside('older.db'), file('events.db'));
      const { stderr } = await run(['projections', 'rebuild', '--all', '--approve']);
      expect(stderr).to.match(/hiring: .* is an older state of its event log .*: it lacks 2 events/);
      expect(warningsOf(await served([]))).to.deep.equal([]);
      expect((await run(['doctor'])).stdout).to.match(/events were found lost at \S+: it lacks 2 events, of /);
    });

    it('stays in an older state of the event log: it is served, and told what it lacks', async () => {
      await served(['a']);
      cpSync(file('events.db'), inside('older.db'));
      await served(['b', 'c']);
      cpSync(file('events.db'), inside('whole.db'));
      cpSync(inside('older.db'), file('events.db'));

      const lack =
        /it lacks 2 events, of positions 0000000000000002 to 0000000000000003: what was recorded since 20\d\d-\S+Z/;
      const service = await serve();
      await untilReady(service.url);
      const warnings = warningsOf(service);
      expect(warnings).to.have.length(1);
      expect(warnings[0])
        .to.match(/events\.db is an older state of its event log [0-9a-f-]{36}: /)
        .and.to.match(lack);
      const { body } = await sendTo(service, 'GET', '/health/ready');
      expect(body).to.have.property('status', 'degraded');
      expect(body).to.have.property('eventLog').that.match(lack);
      expect((await sendTo(service, 'GET', '/admin/credentials/specialties/b', { as: 'admin' })).status).to.equal(404);
      expect((await sendTo(service, 'GET', '/admin/credentials/specialties/a', { as: 'admin' })).status).to.equal(200);
      await service.end();

      // The next start has nothing to tell; the doctor knows what was lost, until it is put back.
      expect(warningsOf(await served([]))).to.deep.equal([]);
      const lost = /BAD {2}event log +events were found lost at \S+: it lacks 2 events, of .*; a backup that has them/;
      expect((await run(['doctor'])).stdout).to.match(lost);
      cpSync(inside('whole.db'), file('events.db'));
      expect((await run(['doctor'])).stdout).not.to.include('events were found lost');
    });
  });

  it('may be that of a backup: restored in the place of an event log that is gone, it is served', async () => {
    await served(['a']);
    expect((await run(['backup', '--to', inside('backup.db')])).code).to.equal(0);
    await served(['b']);
    rmSync(file('events.db'));
    const restored = await run(['restore', '--from', inside('backup.db')]);
    expect(restored.code).to.equal(0);
    expect(restored.stderr).to.match(
      /^hiring: what was made from the event log that is gone holds events that the backup does not hold \(it lacks 2 events, of positions \d+ to \d+: .*\)\n$/,
    );
    await served(['c']);
  });

  it('may be another one that is restored with --replace', async () => {
    await served(['a']);
    await served(['b'], configured, inside('other'));
    expect((await run(['backup', '--to', inside('backup.db')], configured, inside('other'))).code).to.equal(0);
    const refused = await run(['restore', '--from', inside('backup.db')]);
    expect(refused.code).to.equal(2);
    expect(refused.stderr).to.match(
      /events\.db holds another event log, [0-9a-f-]{36} \(that of the backup is [0-9a-f-]{36}\)/,
    );
    expect((await run(['restore', '--from', inside('backup.db'), '--replace'])).code).to.equal(0);
    await served(['c']);
  });
});
