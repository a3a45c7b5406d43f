import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { countLogContent } from '../../../src/event-store/embedded/backup.ts';
import { bodies, ids } from '../../support/examples.ts';
import { eventually } from '../../support/eventually.ts';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { readFile } from '../../support/project.ts';
import { sendTo } from '../../support/process.ts';

/** Records an office under a name; resolves to the position of the write. */
const record = async (url: string, officeName: string): Promise<string> => {
  const body = { ...bodies.office, officeName };
  const { status, headers } = await sendTo({ url }, 'PUT', `/internal/offices/${ids.office}`, { body });
  expect(status).to.equal(204);
  return headers.get('Consistency-Token') ?? '';
};

/** The commands of the drill in docs/operating.md, each as the arguments of `hiring`. */
const drill = (): string[][] => {
  const [, page = ''] = readFile('docs/operating.md').split('\nA drill, ');
  const [, block = ''] = /```text\n([^`]*)```/.exec(page) ?? [];
  return [...block.matchAll(/hiring\.js (.*)$/gm)].map(([, args = '']) => args.split(' '));
};

describe('hiring backup and restore', () => {
  let [here, elsewhere, file] = ['', '', ''];
  beforeEach(async () => {
    [here, elsewhere] = [await mkdtemp(join(tmpdir(), 'here-')), await mkdtemp(join(tmpdir(), 'elsewhere-'))];
    file = join(elsewhere, 'backup.db');
  });
  afterEach(async () => {
    await endLeftServices();
    for (const directory of [here, elsewhere]) await rm(directory, { recursive: true });
  });

  /** A service that has recorded an office some times, and has ended. */
  const given = async (directory: string, ...names: string[]): Promise<void> => {
    const service = await serveHere(directory);
    for (const name of names) await record(service.url, name);
    await service.end();
  };
  const backUp = async () => {
    const { code, stderr } = await runCli(here, ['backup', '--to', file]);
    expect([code, stderr]).to.deep.equal([0, '']);
  };
  const restore = (directory: string, ...more: string[]) => runCli(directory, ['restore', '--from', file, ...more]);
  const eventsIn = (directory: string) => countLogContent(join(directory, 'events.db')).events;

  it('keep each write acknowledged up to the position of a backup made under load, by the drill of the page', async () => {
    // Given a service that is written to all the time
    const service = await serveHere(here);
    const written: string[] = [];
    let isOver = false;
    const write = async (client: number) => {
      for (let number = 0; !isOver; number++) written.push(await record(service.url, `office ${client}.${number}`));
    };
    const load = Promise.all([1, 2, 3, 4].map(write));

    await eventually('some writes are acknowledged', () => written.length > 50);

    // When it is backed up, restored elsewhere, and served there
    const [toBackUp = [], toRestore = [], toServe = [], toCheck = []] = drill().map((args) =>
      args.map((arg) => arg.replace('/backups/today.db', file)),
    );
    const made = await runCli(here, toBackUp);
    isOver = true;
    await load;
    const restored = await runCli(elsewhere, toRestore);
    expect(toServe).to.deep.equal(['serve']);
    const drilled = await serveHere(elsewhere);
    await eventually('it is ready', async () => (await fetch(`${drilled.url}/health/ready`)).ok);

    // Then all is there that its position says, the stores are sound, and read models are as a rebuild makes them
    expect([made.code, made.stderr, restored.code, restored.stderr]).to.deep.equal([0, '', 0, '']);
    const [, position = ''] = /up to position (\d+);/.exec(made.stdout) ?? [];
    expect(restored.stdout).to.include(`up to position ${position}`);
    const { events } = countLogContent(file);
    expect(written.filter((token) => token <= position)).to.have.length.within(50, events);
    // The restored log has its own restore after what was backed up.
    expect(eventsIn(elsewhere)).to.equal(events + 2);
    const checked = await runCli(elsewhere, toCheck);
    expect(checked.stdout).to.include(': sound\n').and.to.include('compared with a rebuild');
    expect(checked.code).to.equal(0);
  });

  it('are recorded, the one in the event log that is backed up, the other in the restored one', async () => {
    await given(here, 'one');
    await backUp();
    await restore(elsewhere);
    const acts = async (directory: string) => {
      const { stdout } = await runCli(directory, ['history', 'audit', '--json']);
      return (JSON.parse(stdout) as { operation: string; phase: string }[]).map(
        ({ operation, phase }) => `${operation} ${phase}`,
      );
    };
    expect(await acts(here)).to.deep.equal(['backup completed']);
    expect(await acts(elsewhere)).to.deep.equal(['backup requested', 'restore completed']);
  });

  it('put back an event log that has not gone on, and serve it', async () => {
    await given(elsewhere);
    await given(here, 'one');
    await backUp();
    expect((await restore(elsewhere)).code).to.equal(0);
    const service = await serveHere(elsewhere);
    await record(service.url, 'two');
    expect(eventsIn(elsewhere)).to.equal(eventsIn(here) + 2);
  });

  it('leave an event log alone that holds more, unless it is to be replaced, and keep it then', async () => {
    await given(here, 'one');
    await backUp();
    await given(here, 'two', 'three');
    const before = eventsIn(here);

    const refused = await restore(here);
    expect([refused.code, refused.stdout]).to.deep.equal([2, '']);
    expect(refused.stderr).to.match(
      /^hiring: .*events\.db holds events that the backup does not hold \(it lacks 3 events, of positions 0000000000000003 to 0000000000000005: what was recorded since .*\): .*--replace/,
    );
    expect(eventsIn(here)).to.equal(before);

    const replaced = await restore(here, '--replace');
    expect([replaced.code, replaced.stderr]).to.deep.equal([0, '']);
    expect(eventsIn(here)).to.equal(countLogContent(file).events + 2);
    const [kept = ''] = (await readdir(here)).filter((name) => name.startsWith('events.db.replaced-'));
    expect(countLogContent(join(here, kept)).events).to.equal(before);
  });

  for (const [damage, act] of [
    ['cut short', (log: string) => truncate(log, 8_192)],
    ['of another format at its beginning', (log: string) => writeFile(log, 'x'.repeat(100), { flag: 'r+' })],
  ] as const)
    it(`replace an event log that is ${damage}, and keep it`, async () => {
      await given(here, 'one', 'two');
      await backUp();
      // A write-ahead log has pages that would be read in place of the damaged ones.
      await rm(join(here, 'events.db-wal'), { force: true });
      await act(join(here, 'events.db'));
      const refused = await restore(here);
      expect(refused.stderr).to.match(/^hiring: .*events\.db is damaged: nothing was changed; with --replace/);
      const replaced = await restore(here, '--replace');
      expect([replaced.code, replaced.stderr]).to.deep.equal([0, '']);
      expect(eventsIn(here)).to.equal(countLogContent(file).events + 2);
      expect((await readdir(here)).some((name) => name.startsWith('events.db.replaced-'))).to.equal(true);
    });

  it('set aside a write-ahead log whose event log is gone, and say so before', async () => {
    const service = await serveHere(here);
    await record(service.url, 'one');
    await backUp();
    await record(service.url, 'two');
    await copyFile(join(here, 'events.db-wal'), join(elsewhere, 'wal'));
    await service.end();
    await rm(join(here, 'events.db'));
    await copyFile(join(elsewhere, 'wal'), join(here, 'events.db-wal'));
    const refused = await restore(here);
    expect(refused.stderr).to.match(/events\.db is gone, and its -wal is there: nothing was changed/);
    expect((await restore(here, '--replace')).code).to.equal(0);
    expect((await runCli(here, ['check'])).code).to.equal(0);
    const kept = (await readdir(here)).filter((name) => name.endsWith('-wal') && name.includes('.replaced-'));
    expect(kept).to.have.length(1);
  });

  it('are one of two that are made at once under one name', async () => {
    await given(here, 'one');
    const both = await Promise.all([1, 2].map(() => runCli(here, ['backup', '--to', file])));
    expect(both.map(({ code }) => code)).to.have.members([0, 2]);
    expect(both.map(({ stderr }) => stderr).join('')).to.match(/^hiring: --to names .*, which is there already;/);
    expect((await restore(elsewhere)).code).to.equal(0);
    expect((await readdir(elsewhere)).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
  });

  it('can be read by their owner alone', async () => {
    await given(here, 'one');
    await backUp();
    for (const name of [file, `${file}.json`]) expect((await stat(name)).mode & 0o777).to.equal(0o600);
  });

  it('refuse a backup that is not the one of its manifest', async () => {
    await given(here, 'one');
    await backUp();
    const content = readFileSync(file);
    for (const [other, fault] of [
      [content.subarray(1), /: it has \d+ of \d+ bytes\n$/],
      [content.with(-1, 1), /: its checksum is another one\n$/],
    ] as const) {
      await writeFile(file, other);
      const { code, stderr } = await restore(elsewhere);
      expect(code).to.equal(2);
      expect(stderr).to.include(`${file} is not the backup that its manifest tells of`).and.to.match(fault);
    }
    expect((await readdir(elsewhere)).filter((name) => name.startsWith('events.db'))).to.deep.equal([]);
  });

  it('refuse a backup without a manifest, and a place where something is', async () => {
    await given(here, 'one');
    await backUp();
    const again = await runCli(here, ['backup', '--to', file]);
    expect(again.stderr).to.match(/^hiring: --to names .*backup\.db, which is there already; allowed: a new file\n$/);
    await rm(`${file}.json`);
    const { code, stderr } = await restore(elsewhere);
    expect(code).to.equal(2);
    expect(stderr).to.match(/^hiring: .*backup\.db\.json cannot be read as the manifest of a backup: ENOENT/);
  });

  it('refuse to restore beside a running service', async () => {
    await serveHere(elsewhere);
    await given(here, 'one');
    await backUp();
    const { code, stderr } = await restore(elsewhere);
    expect(code).to.equal(2);
    expect(stderr).to.match(/^hiring: The data directory \S+ is in use by the process with pid \d+\n$/);
  });

  it('are refused on servers, which have ways of their own', async () => {
    const servers = { EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false', READ_MODEL_URL: 'mongodb://127.0.0.1:1/none' };
    for (const args of [
      ['backup', '--to', file],
      ['restore', '--from', file],
    ]) {
      const { code, stderr } = await runCli(here, args, servers);
      expect(code).to.equal(2);
      expect(stderr).to.match(/^hiring: EVENT_STORE_URL names a server: \w+ is for files alone; docs\/operating\.md/);
    }
  });
});
