import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RecordedAct } from '../../src/audit/acts.ts';
import { endLeftServices, runCli, serveHere } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { configured, killLeftProcesses, sendTo, spawnCli } from '../support/process.ts';
import { nth, worlds, type World } from './projections/world.ts';

const ME = `os:${userInfo().username}`;
const [first, second] = [nth('specialties', 1), nth('specialties', 2)];

const jsonOf = (stdout: string) => JSON.parse(stdout) as RecordedAct[];
const audit = async (directory: string, ...args: string[]) => {
  const { code, stdout, stderr } = await runCli(directory, ['history', 'audit', '--json', ...args]);
  expect([code, stderr]).to.deep.equal([0, '']);
  return jsonOf(stdout);
};
/** Each act with its actor and its end. */
const toldOf = (acts: readonly RecordedAct[]) =>
  acts.map(({ actor, operation, phase, detail }) => [actor, operation, phase, detail]);

describe('The audit of the command line', () => {
  const { make, copy, end } = worlds();
  let world: World;
  before(make);
  beforeEach(async () => {
    world = await copy();
  });
  afterEach(killLeftProcesses);
  afterEach(endLeftServices);
  after(end);

  it('has every act with its actor', async () => {
    const { directory, projections } = world;
    await projections('verify', 'specialties');
    await projections('rebuild', 'specialties', '--keep', '3');
    await projections('rollback', 'specialties');
    await projections('cancel', 'specialties');
    await projections('pause', 'specialties');
    await projections('resume', 'specialties');
    await projections('retry', 'specialties');
    await projections('skip', 'specialties', 'specialty-a');
    await runCli(directory, ['token', '--user', 'user-ada', '--admin', '--hours', '2']);

    const acts = await audit(directory);
    const third = nth('specialties', 3);
    expect(toldOf(acts)).to.deep.equal([
      [ME, 'verify', 'completed', second],
      [ME, 'rebuild', 'completed', third],
      ['service:projector', 'switch', 'completed', null],
      [ME, 'rollback', 'completed', first],
      [ME, 'cancel', 'failed', 'No build of specialties is under way'],
      [ME, 'pause', 'completed', null],
      [ME, 'resume', 'completed', null],
      [ME, 'retry', 'failed', 'No stream of specialties is parked'],
      [ME, 'skip', 'failed', 'The stream specialty-a is not parked in specialties'],
      [ME, 'token', 'completed', null],
    ]);
    const parametersOf = (operation: string) => acts.find((act) => act.operation === operation)?.parameters;
    expect(parametersOf('rebuild')).to.deep.equal({
      projections: ['specialties'],
      keepHours: 3,
      isApproved: false,
      isStrict: true,
    });
    expect(parametersOf('switch')).to.deep.equal({ projections: ['specialties'], build: third, replaces: first });
    expect(parametersOf('token')).to.deep.equal({ user: 'user-ada', roles: ['admin'], hours: 2 });
  });

  it('has who paused a projection, as the build registry does', async () => {
    await world.projections('pause', 'specialties');
    expect(world.record('specialties')?.paused?.by).to.equal(ME);
  });

  it('holds no token', async () => {
    const { stdout } = await runCli(world.directory, ['token', '--user', 'user-ada']);
    const [, claimsPart = '', signature = ''] = stdout.trim().split('.');
    expect(signature).to.have.lengthOf.above(20);
    const acts = JSON.stringify(await audit(world.directory));
    expect(acts).to.not.include(signature);
    expect(acts).to.not.include(claimsPart);
  });

  it('has nothing of what is refused before it would be done', async () => {
    await world.projections('rebuild', 'nonsense');
    await world.projections('rollback', 'nonsense');
    await world.projections('rebuild', 'specialties', '--dry-run');
    await runCli(world.directory, ['token', '--user', 'a/b']);
    await runCli(world.directory, ['copy', '--from', 'sqlite:/nowhere/events.db', '--to', 'sqlite:/tmp/x.db']);
    expect(await audit(world.directory)).to.deep.equal([]);
  });

  it('is shown as a table, oldest first, by actor, and since a day or a time', async () => {
    await world.projections('pause', 'specialties');
    await world.projections('resume', 'specialties');
    const { stdout } = await runCli(world.directory, ['history', 'audit']);
    const [headings, ...rows] = stdout.trimEnd().split('\n');
    expect(headings).to.match(/^at +actor +act +outcome +asked with, and what came of it$/);
    expect(rows).to.have.lengthOf(2);
    expect(rows[0]).to.match(/^\S+Z +os:\S+ +pause +completed +projections=specialties$/);
    expect(rows[1]).to.include(' resume ');

    const [, resumed] = await audit(world.directory);
    const since = resumed?.requestedAt ?? '';
    expect(toldOf(await audit(world.directory, '--since', since))).to.deep.equal([[ME, 'resume', 'completed', null]]);
    expect(await audit(world.directory, '--since', since.slice(0, 10))).to.have.lengthOf(2);
    expect(await audit(world.directory, '--since', '2999-01-01')).to.deep.equal([]);
    expect(await audit(world.directory, '--actor', ME)).to.have.lengthOf(2);
  });

  it('refuses a time that is none, in one line', async () => {
    for (const text of ['yesterday', '2026-13-01', '2026-02-30', '', '2026-03-01 09:00']) {
      const { code, stdout, stderr } = await runCli(world.directory, ['history', 'audit', '--since', text]);
      expect([code, stdout], text).to.deep.equal([2, '']);
      expect(stderr, text).to.match(/^hiring: option '--since <time>' .* It must be a day or an RFC 3339 time.*\n$/);
    }
  });

  it('refuses an actor that is none, in one line', async () => {
    const { code, stderr } = await runCli(world.directory, ['history', 'audit', '--actor', '']);
    expect(code).to.equal(2);
    expect(stderr).to.match(/^hiring: option '--actor <actor>' .* It must be 1 to 200 characters\.\n$/);
  });

  it('says in one line that it cannot be read', async () => {
    await breakLog();
    const { code, stdout, stderr } = await runCli(world.directory, ['history', 'audit']);
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.match(/^hiring: EVENT_STORE_URL names a log whose audit cannot be read: .*\n$/);
  });

  /** Makes the file of events one that no act can be recorded in. */
  const breakLog = async (): Promise<void> => {
    for (const suffix of ['-wal', '-shm']) await rm(join(world.directory, `events.db${suffix}`), { force: true });
    await writeFile(join(world.directory, 'events.db'), 'this is no database'.repeat(1_000));
  };

  it('is needed: what cannot be recorded is told in one line, and not done', async () => {
    const registry = () => JSON.stringify(world.record('specialties'));
    const before = registry();
    await breakLog();
    for (const args of [
      ['projections', 'rebuild', 'specialties'],
      ['projections', 'verify', 'specialties'],
      ['projections', 'rollback', 'specialties'],
      ['projections', 'cancel', 'specialties'],
      ['projections', 'pause', 'specialties'],
      ['projections', 'resume', 'specialties'],
      ['projections', 'retry', 'specialties'],
      ['projections', 'skip', 'specialties', 'specialty-a'],
      ['token', '--user', 'user-ada'],
    ]) {
      const { code, stdout, stderr } = await runCli(world.directory, args);
      expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
      expect(stderr, args.join(' ')).to.match(
        /^hiring: (?:who does this cannot be recorded, so nothing was done|\S+events\.db is damaged, and nothing was changed): .*\n$/,
      );
      expect(registry(), args.join(' ')).to.equal(before);
    }
  });

  it('has what another process records beside a running service, which is told of it', async () => {
    const service = await serveHere(world.directory);
    const overHttp = async () => {
      const { body } = await sendTo(service, 'GET', '/admin/audit', { as: 'admin' });
      return toldOf((body as { data: RecordedAct[] }).data);
    };
    const post = async (act: string) => {
      const body = act === 'pause' ? { confirm: 'specialties' } : {};
      const path = `/admin/projections/specialties/${act}`;
      expect((await sendTo(service, 'POST', path, { as: 'admin', body })).status, act).to.equal(200);
    };
    const elsewhere = async (...args: string[]) => {
      const [code] = (await once(spawnCli(world.directory, args, configured), 'exit')) as [number];
      expect(code, args.join(' ')).to.equal(0);
    };

    // Given an audit that the service has looked at while it was empty
    expect(await overHttp()).to.deep.equal([]);
    // When another process, the service, and another process again record acts of the day
    await elsewhere('token', '--user', 'user-ada');
    expect(await overHttp()).to.deep.equal([[ME, 'token', 'completed', null]]);
    await post('pause');
    await post('resume');
    await elsewhere('projections', 'resume', 'specialties');

    // Then the service lists all of them, and has followed the event log to its end
    expect(await overHttp()).to.deep.equal([
      [ME, 'resume', 'completed', null],
      ['user-ada', 'resume', 'completed', null],
      ['user-ada', 'pause', 'completed', null],
      [ME, 'token', 'completed', null],
    ]);
    await eventually('no projection is behind', async () =>
      (await world.listed()).every(({ lagEvents }) => lagEvents === 0),
    );
    expect((await fetch(`${service.url}/health/ready`)).status).to.equal(200);
    await post('pause');
    expect((await overHttp())[0]).to.deep.equal(['user-ada', 'pause', 'completed', null]);
    await service.end();
  });
});
