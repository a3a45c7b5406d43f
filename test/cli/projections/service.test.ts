import { expect } from 'chai';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_STREAM } from '../../../src/event-store/port.ts';
import { appended } from '../../contract/new-events.ts';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { bodies, claims, metadata } from '../../support/examples.ts';
import { processKeys } from '../../support/process.ts';
import { tokenFor, untilReady } from '../../support/service.ts';
import { openLogHere } from '../../support/threads-here.ts';
import { everyName, jsonLines, nth, worlds, type Listed, type World } from './world.ts';

const [first, second] = [nth('specialties', 1), nth('specialties', 2)];
const STREAM = 'specialty-odd';

describe('hiring projections --from a service', function () {
  this.timeout(90_000);
  const { make, copy, end } = worlds();
  let world: World;
  let url: string;
  before(make);
  beforeEach(async () => {
    world = await copy();
    await mkdir(join(world.directory, 'elsewhere'));
  });
  afterEach(endLeftServices);
  after(end);

  const serve = async (): Promise<void> => {
    ({ url } = await serveHere(world.directory));
    await untilReady(url);
  };
  /** Runs a command where there are no stores. */
  const asking = async (as: 'admin' | 'analyst', ...args: readonly string[]) =>
    runCli(join(world.directory, 'elsewhere'), ['projections', ...args, '--from', url], {
      HIRING_API_KEY: processKeys.client,
      HIRING_TOKEN: await tokenFor(claims[as]),
    });
  const ask = (...args: readonly string[]) => asking('admin', ...args);

  it('list shows how the service is and the builds that it has', async () => {
    await serve();
    const { stdout } = await ask('list');
    expect(stdout).to.match(/^service: at http:\S+ is ready: .*\n/);
    for (const name of everyName) expect(stdout).to.include(nth(name, 1));
    const own = (await ask('list', '--json')).stdout;
    expect((JSON.parse(own) as Listed[]).map(({ build, state }) => `${build} ${state}`)).to.deep.equal(
      await world.builds(),
    );
  });

  it('rebuild plans, builds, compares and switches there, and rollback goes back', async () => {
    await serve();
    const [plan] = jsonLines((await ask('rebuild', 'specialties', '--dry-run', '--json')).stdout);
    expect(plan).to.include({ live: first, events: world.countIn('specialty') });
    const { code, stdout } = await ask('rebuild', 'specialties');
    expect(stdout).to.match(/^specialties: rebuilt and served\n {2}the same at position \d+: \d+ documents\n$/);
    expect(code).to.equal(0);
    expect(await world.builds('specialties')).to.deep.equal([`${second} live`, `${first} kept`]);
    expect((await ask('rollback', 'specialties')).stdout).to.equal(`specialties: ${first} is served\n`);
    const compared = await ask('verify', '--all', '--json');
    expect(compared.code).to.equal(0);
    expect(jsonLines(compared.stdout).filter(({ kind }) => kind === 'compared')).to.have.length(everyName.length);
  });

  it('pause, resume and cancel act there, in the name of the user', async () => {
    await serve();
    const { stdout } = await ask('pause', 'specialties', '--reason', ' A look at it ');
    expect(stdout).to.match(new RegExp(`^specialties: paused since \\S+Z by ${claims.admin.sub}\n$`));
    expect((await ask('resume', 'specialties')).stdout).to.equal('specialties: resumed\n');
    await world.projections('pause', 'specialties', '--reason', 'Here');
    const { stdout: acts } = await runCli(world.directory, ['history', 'audit', '--operation', 'pause']);
    expect(acts).to.match(/reason=A look at it.*\n.*reason=Here/);
    await world.projections('resume', 'specialties');
    expect(await ask('cancel', '--all')).to.include({ code: 2, stderr: 'hiring: No build is under way\n' });
    const rebuilding = ask('rebuild', 'posting-candidates', '--throttle', '1');
    await eventually('it is under way', () => world.next('posting-candidates')?.progress != null);
    expect((await ask('cancel', '--all')).stdout).to.equal('posting-candidates: given up\n');
    expect((await rebuilding).stdout).to.equal('posting-candidates: given up by an operator\n');
  });

  it('retry and skip release a parked stream, and say what is parked then', async () => {
    // Given an event that only newer code reads, and one after it
    const log = await openLogHere(join(world.directory, 'events.db'));
    const events = [1, 2, 1].map((version, index) => ({
      id: `odd ${index}`,
      type: 'SpecialtyRecorded',
      version,
      data: { specialtyId: 'odd', name: `Odd ${index}`, procedures: [...bodies.specialty.procedures] },
      metadata,
    }));
    await appended(log, { stream: STREAM, expectedRevision: NO_STREAM, events });
    await log.close();
    await serve();
    await eventually('it is parked', () => (world.parked('specialties')[0]?.streams ?? []).length > 0);
    expect((await ask('list')).stdout).to.include(`skip specialties ${STREAM}`);

    // When it is tried again in vain, and left out
    const retried = await ask('retry', 'specialties', STREAM);
    expect(retried).to.include({ code: 1 });
    expect(retried.stdout).to.include(`${STREAM} is parked at SpecialtyRecorded`);
    expect(await ask('skip', '--all')).to.include({ code: 0, stdout: 'specialties: nothing is parked\n' });

    // Then nothing is parked, which a retry says
    expect(await ask('retry', 'specialties')).to.include({ code: 2 });
  });

  it('is refused in one line where it cannot be carried out', async () => {
    await serve();
    const refused = async (said: RegExp, as: 'admin' | 'analyst', ...args: readonly string[]) => {
      const { code, stdout, stderr } = await asking(as, ...args);
      expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
      expect(stderr).to.match(said);
    };
    await refused(/^hiring: There is no projection none; allowed: [^\n]+\n$/, 'admin', 'pause', 'none');
    await refused(/^hiring: http:\S+ refused: [^\n]+\n$/, 'analyst', 'pause', 'specialties');
    await refused(/^hiring: --threads [^\n]+\n$/, 'admin', 'rebuild', 'specialties', '--threads', '2');
    await refused(/^hiring: No stream of specialties is parked\n$/, 'admin', 'skip', 'specialties', '--all');
    await ask('pause', 'specialties');
    await refused(
      /^hiring: http:\S+ refused: specialties is paused; resume it first\. Begun before: posting-candidates@\S+\n$/,
      'admin',
      'verify',
      'posting-candidates',
      'specialties',
    );
    const own = url;
    url = `${own}/nowhere`;
    await refused(/^hiring: http:\S+ refused: [^\n]+\n$/, 'admin', 'list', '--json');
    url = own;
    await endLeftServices();
    await refused(/^hiring: --from names http:\S+, which cannot be asked: [^\n]+\n$/, 'admin', 'pause', 'specialties');
  });
});
