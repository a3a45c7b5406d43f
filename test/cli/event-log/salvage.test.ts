import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { eventsOf } from '../../support/damage.ts';
import { eventually } from '../../support/eventually.ts';
import { bodies, ids } from '../../support/examples.ts';
import { directoryForEach } from '../../support/files.ts';
import { configured, killLeftProcesses, runProcess, sendTo, spawnCli } from '../../support/process.ts';

const STREAM = `office-${ids.office}`;

describe('A damaged event log', () => {
  const directory = directoryForEach('hiring-damaged-');
  afterEach(async () => {
    killLeftProcesses();
    await endLeftServices();
  });

  /** Records an office under names, in a service of its own; resolves to the positions. */
  const record = async (...names: string[]): Promise<readonly string[]> => {
    const service = await serveHere(directory());
    const positions: string[] = [];
    for (const officeName of names) {
      const body = { ...bodies.office, officeName };
      const answer = await sendTo(service, 'PUT', `/internal/offices/${ids.office}`, { body });
      expect(answer.status).to.equal(204);
      positions.push(answer.headers.get('Consistency-Token') ?? '');
    }
    await service.end();
    return positions;
  };
  /** Damages events as a flipped bit does. */
  const damage = (...positions: readonly string[]): void => {
    const db = new Database(join(directory(), 'events.db'));
    db.exec(`UPDATE events SET data = replace(data, 'office', 'ofFice') WHERE position IN (${positions.join()})`);
    db.close();
  };
  const run = (...args: readonly string[]) => runCli(directory(), args, { ...configured, XDG_CACHE_HOME: directory() });
  const lost = (at: string) =>
    `positions ${at} to ${at}: they cannot be read: the stored event does not match its checksum; of ${STREAM}`;
  const noted = (at: string) => lost(at).replace(': they', ': noted as lost: they');

  it('is backed up by --salvage, which says exactly what is lost, and the service goes on with the rest', async () => {
    const [one = '', two = '', three = '', four = ''] = await record('one', 'two', 'three', 'four');
    damage(two);
    const [first, second] = [join(directory(), 'first.db'), join(directory(), 'second.db')];

    // When it is backed up
    const refused = await run('backup', '--to', first);
    expect([refused.code, refused.stdout]).to.deep.equal([2, '']);
    expect(refused.stderr).to.match(/^hiring: .* damaged at position (\d+): .*--salvage writes the rest\n$/);
    const salvaged = await run('backup', '--to', first, '--salvage');

    // Then it names what is lost, as a check does, and the stream that lacks it
    expect([salvaged.code, salvaged.stderr]).to.deep.equal([1, '']);
    const gap = `stream ${STREAM}: it lacks revision 1 before position ${three}`;
    const [told, ...others] = salvaged.stdout.trimEnd().split('\n').reverse();
    expect(others.reverse()).to.deep.equal([lost(two), gap]);
    expect(told).to.match(/first\.db: \d+ events up to position \d+; .*first\.db\.json$/);
    const checked = await run('check');
    expect(checked.stdout).to.include(`${lost(two)}\n${gap}\n`);

    // When it is restored, and the service goes on
    const restored = await run('restore', '--from', first, '--replace');
    expect([restored.code, restored.stderr]).to.deep.equal([0, `hiring: the backup lacks ${noted(two)}\n`]);
    const [five = ''] = await record('five');
    expect(five > four).to.equal(true);

    // Then the loss is known, and no new damage
    const known = await run('check');
    expect(known.stdout).to.match(
      new RegExp(`^${noted(two)}\n.* idempotency records: sound, beside what is noted as lost; --deep .*\n$`),
    );
    expect(known.code).to.equal(0);
    const { stdout } = await run('doctor');
    expect(stdout).to.match(/ok +event log +.*lacks positions/);
    const audit = await run('history', 'audit', '--json');
    expect(audit.stdout).to.match(/"salvage": true/);

    // And it is copied to no other store, half of it
    const stores = ['events.db', 'other.db'].map((name) => `sqlite:${join(directory(), name)}`);
    const copied = await run('copy', '--from', stores[0] ?? '', '--to', stores[1] ?? '');
    expect([copied.code, copied.stderr]).to.deep.equal([
      2,
      'hiring: --from names a salvaged log: no other store can have the gaps of its streams\n',
    ]);

    // And another salvage, after more damage, keeps what was noted
    damage(one);
    const again = await run('backup', '--to', second, '--salvage');
    expect(again.stdout.split('\n').slice(0, 2)).to.deep.equal([noted(two), lost(one)]);
  });

  it('that is sound after all is backed up as ever by --salvage, and read without a copy', async () => {
    await record('one');
    const { code, stdout } = await run('backup', '--to', join(directory(), 'backup.db'), '--salvage');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^\S+: 2 events up to position \d+; \S+\n$/);
    const types = await run('history', 'types', '--around-damage');
    expect(types.stderr).to.not.include('lost');
  });

  it('is looked into around damage: what is lost is said first, and what comes after it is in the answers', async () => {
    const [, two = '', three = ''] = await record('one', 'two', 'three');
    damage(two);
    const asked: readonly (readonly [readonly string[], RegExp])[] = [
      [['types'], /OfficeRecorded +\d+ +2 /],
      [['search', '--stream', STREAM], new RegExp(`${three} .*OfficeRecorded`)],
      [['show', 'office', ids.office], new RegExp(`at ${three}`)],
      [['audit'], /at +actor/],
      [['sql', 'SELECT max(position) AS position FROM events'], new RegExp(three)],
      [['export', '--format', 'csv', '--out', join(directory(), 'exported')], /^$/],
      [['report'], /<html/],
    ];
    for (const [args, answer] of asked) {
      const { code, stdout, stderr } = await run('history', ...args, '--around-damage');
      expect([code, args[0]], stderr).to.deep.equal([0, args[0]]);
      expect(stderr).to.match(
        new RegExp(`^hiring: lost: ${lost(two)}\nhiring: lost: stream ${STREAM}: it lacks revision 1 before`),
      );
      expect(stdout).to.match(answer);
    }
    // No copy of the whole event log is made from it, and no export of the whole goes on with it.
    expect(existsSync(join(directory(), 'hiring'))).to.equal(false);
    for (const [args] of asked.filter(([[name]]) => name !== 'audit')) {
      const { code, stderr } = await run('history', ...args);
      expect([code, args[0]]).to.deep.equal([2, args[0]]);
      expect(stderr).to.match(
        /^hiring: \S+events\.db: .*--around-damage says what is lost, and reads the rest\n$|asked for is version \S+;/m,
      );
    }
  });

  it('is not looked into around damage of a service or a server, or what goes on after the command', async () => {
    await record('one');
    for (const more of [
      ['search', '--from', 'https://hiring.example'],
      ['search', '--follow'],
      ['sql', '--keep', 'SELECT 1'],
    ]) {
      const { code, stderr } = await run('history', ...more, '--around-damage');
      expect(code).to.equal(2);
      expect(stderr).to.match(
        /^hiring: --around-damage is for files, of which it reads a copy; allowed without --\w+.*\n$/,
      );
    }
  });

  it('leaves no copy behind where a command is ended by Ctrl-C, and none for ever where it is killed', async () => {
    // Given a search whose answer nobody reads, so that it waits
    const [file, temporary] = [join(directory(), 'events.db'), join(directory(), 'temporary')];
    await mkdir(temporary);
    eventsOf(file, 3_000);
    const db = new Database(file);
    db.exec('DELETE FROM events WHERE position = 2');
    db.close();
    const more = { ...configured, TMPDIR: temporary };
    const endedBy = async (signal: NodeJS.Signals): Promise<readonly string[]> => {
      const args = ['history', 'search', '--limit', '3000', '--around-damage'];
      const child = spawnCli(directory(), args, more);
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await eventually('it answers', () => said.includes('by version'));
      expect(await readdir(temporary)).to.have.length(1);
      child.kill(signal);
      await once(child, 'exit');
      return readdir(temporary);
    };
    expect(await endedBy('SIGINT')).to.deep.equal([]);

    const [left = ''] = await endedBy('SIGKILL');
    await utimes(join(temporary, left), 0, 0);
    await runProcess(directory(), ['history', 'types', '--around-damage'], more);
    expect(await readdir(temporary)).to.deep.equal([]);
  });
});
