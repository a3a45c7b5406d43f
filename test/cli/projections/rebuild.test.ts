import { expect } from 'chai';
import { specialties } from '../../../projections/specialties.ts';
import { everyName, jsonLines, nth, untouched, worlds, type World } from './world.ts';

const [first, second] = [nth('specialties', 1), nth('specialties', 2)];

describe('hiring projections, without a service', () => {
  const { make, copy, end } = worlds();
  let world: World;
  before(make);
  beforeEach(async () => {
    world = await copy();
  });
  after(end);

  describe('rebuild', () => {
    it('builds every projection beside what is served, finds it the same and serves it', async () => {
      const before = world.head();
      const { code, stdout } = await world.projections('rebuild', '--all');
      expect(code).to.equal(0);
      for (const name of everyName) {
        const said = new RegExp(`^${name}: rebuilt and served\\n {2}the same at position (\\d+): \\d+ documents`, 'm');
        expect(stdout).to.match(said);
        // The rebuild itself is recorded after what the world holds, and so are switches.
        expect((said.exec(stdout)?.[1] ?? '') > before).to.equal(true);
      }
      expect(await world.builds()).to.deep.equal(
        everyName.flatMap((name) => [`${nth(name, 2)} live`, `${nth(name, 1)} kept`]),
      );
    });

    it('of one projection leaves the others alone', async () => {
      await world.projections('rebuild', 'specialties');
      expect((await world.builds()).filter((line) => !line.startsWith('specialties'))).to.deep.equal(
        untouched.filter((line) => !line.startsWith('specialties')),
      );
    });

    it('--json tells how each build comes on, and then how it came out', async () => {
      const { stdout } = await world.projections('rebuild', 'specialties', '--json');
      const lines = jsonLines(stdout);
      const [first, last] = [lines[0], lines.at(-1)];
      expect(first).to.include({ projection: 'specialties', build: second, step: 'build' });
      expect(first).to.have.all.keys(...['projection', 'build', 'step', 'events', 'of', 'perSecond', 'secondsLeft']);
      expect(last).to.include({ projection: 'specialties', kind: 'served' });
      expect(last).to.have.nested.property('report.total', 0);
    });

    it('--dry-run says how many events that would be, and after a rebuild how long, and builds nothing', async () => {
      const { version } = specialties;
      const events = world.countIn('specialty');
      const [before] = jsonLines((await world.projections('rebuild', 'specialties', '--dry-run', '--json')).stdout);
      expect(before).to.deep.equal({
        projection: 'specialties',
        version,
        live: first,
        events,
        perSecond: null,
        seconds: null,
      });
      expect(await world.builds()).to.deep.equal(untouched);
      await world.projections('rebuild', 'specialties');
      const [after] = jsonLines((await world.projections('rebuild', 'specialties', '--dry-run', '--json')).stdout);
      expect(after).to.include({ live: second, events });
      expect(after?.['perSecond']).to.be.a('number').greaterThan(0);
      expect(after?.['seconds']).to.be.a('number').greaterThan(0);
    });

    it('--keep says how long the one before is kept', async () => {
      await world.projections('rebuild', 'specialties', '--keep', '0.5');
      const kept = world.record('specialties')?.builds.find(({ id }) => id === first);
      const minutes = (Date.parse(kept?.keptUntil ?? '') - Date.now()) / 60_000;
      expect(minutes).to.be.within(28, 30);
    });
  });

  describe('rollback', () => {
    it('serves again what was served before, and forward again only what is named', async () => {
      await world.projections('rebuild', 'specialties');
      const { code, stdout } = await world.projections('rollback', 'specialties');
      expect([code, stdout]).to.deep.equal([0, `specialties: ${first} is served\n`]);
      expect(await world.builds('specialties')).to.deep.equal([`${first} live`, `${second} kept`]);
      expect(await world.projections('rollback', 'specialties')).to.deep.equal({
        code: 2,
        stdout: '',
        stderr: `hiring: The build that was served before is ${second}, which is newer than ${first}: to go forward again, name it (--to ${second})\n`,
      });
      expect((await world.projections('rollback', 'specialties', '--to', second)).stdout).to.equal(
        `specialties: ${second} is served\n`,
      );
    });

    it('serves the build that is named, also when it is asked twice', async () => {
      await world.projections('rebuild', 'specialties');
      for (let turn = 0; turn < 2; turn++)
        expect((await world.projections('rollback', 'specialties', '--to', first)).stdout).to.equal(
          `specialties: ${first} is served\n`,
        );
    });

    it('is refused in one line where nothing is kept', async () => {
      const { code, stderr } = await world.projections('rollback', 'specialties');
      expect([code, stderr]).to.deep.equal([2, 'hiring: No other build of specialties is kept\n']);
    });
  });

  it('cancel is refused in one line when nothing is under way', async () => {
    const { code, stderr } = await world.projections('cancel', 'specialties');
    expect([code, stderr]).to.deep.equal([2, 'hiring: No build of specialties is under way\n']);
  });

  it('cancel --all gives up every build under way, and is refused in one line where there is none', async () => {
    for (const name of ['specialties', 'saved-postings'])
      world.execute(
        'projections.db',
        `UPDATE catalogue SET entry = json_set(entry, '$.builds[1]', json_set(json_extract(entry, '$.builds[0]'), '$.id', '${nth(name, 2)}', '$.step', 'differs')) WHERE name = '${name}'`,
      );
    expect(await world.projections('cancel', '--all')).to.deep.equal({
      code: 0,
      stdout: everyName
        .filter((name) => ['specialties', 'saved-postings'].includes(name))
        .map((name) => `${name}: given up\n`)
        .join(''),
      stderr: '',
    });
    expect(await world.builds()).to.deep.equal(untouched);
    expect(await world.projections('cancel', '--all')).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: 'hiring: No build is under way\n',
    });
  });

  it('of an unknown name is one line and exit code 2, whatever is asked', async () => {
    const expected = `hiring: There is no projection nonsense; allowed: ${everyName.join(', ')}\n`;
    for (const command of ['rebuild', 'verify', 'rollback', 'cancel', 'pause', 'resume', 'retry'])
      expect(await world.projections(command, 'nonsense'), command).to.deep.equal({
        code: 2,
        stdout: '',
        stderr: expected,
      });
  });

  it('of an unknown name beside known ones changes none of them', async () => {
    const { code } = await world.projections('rebuild', 'specialties', 'nonsense');
    expect(code).to.equal(2);
    expect(await world.builds()).to.deep.equal(untouched);
  });

  it('of every projection changes none of them when one is refused', async () => {
    await world.projections('pause', 'specialties');
    for (const command of ['rebuild', 'verify']) {
      const { code, stderr } = await world.projections(command, '--all');
      expect([code, stderr], command).to.deep.equal([
        2,
        'hiring: specialties is paused; resume it first. Nothing was begun of the others\n',
      ]);
    }
    expect(await world.builds()).to.deep.equal(untouched);
  });

  it('without a name says which there are', async () => {
    for (const command of ['rebuild', 'verify'])
      expect(await world.projections(command), command).to.deep.equal({
        code: 2,
        stdout: '',
        stderr: `hiring: Name a projection, or say --all; allowed: ${everyName.join(', ')}\n`,
      });
  });

  it('takes no rate and no time that makes no sense', async () => {
    for (const [option, value] of [
      ['--throttle', '0'],
      ['--throttle', 'fast'],
      ['--keep', '-1'],
    ] as const) {
      const { code, stderr } = await world.projections('rebuild', 'specialties', option, value);
      expect(code, `${option} ${value}`).to.equal(2);
      expect(stderr, `${option} ${value}`).to.match(/^hiring: option '.*' is invalid.*\n$/);
    }
  });
});
