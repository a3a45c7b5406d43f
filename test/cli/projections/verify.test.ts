import { expect } from 'chai';
import { specialties } from '../../../projections/specialties.ts';
import { dumpReadModels } from '../../support/read-model-dump.ts';
import { join } from 'node:path';
import { everyName, jsonLines, nth, untouched, worlds, type World } from './world.ts';

const [first, second] = [nth('specialties', 1), nth('specialties', 2)];

describe('hiring projections, of what has drifted', () => {
  const { make, copy, end } = worlds();
  let world: World;
  before(make);
  beforeEach(async () => {
    world = await copy();
  });
  after(end);

  /** Stores a document that no event explains. */
  const plantDrift = () => {
    const [id = ''] = Object.keys(
      dumpReadModels(join(world.directory, 'read-models.db'))[`specialties_v${specialties.version}_1`] ?? {},
    );
    const drift = `UPDATE specialties_v${specialties.version}_1 SET document = json_set(document, '$.name', 'Planted') WHERE id = '${id}'`;
    world.execute(`read-models.db.${first}`, drift);
    return id;
  };

  describe('verify', () => {
    it('finds what is served the same as a rebuild, which it drops again', async () => {
      const { code, stdout } = await world.projections('verify', '--all');
      expect(code).to.equal(0);
      for (const name of everyName)
        expect(stdout).to.match(new RegExp(`^${name}: compared with a rebuild\\n {2}the same at`, 'm'));
      expect(await world.builds()).to.deep.equal(untouched);
    });

    it('ends with 1 on a document that has drifted, and names it and the member', async () => {
      const id = plantDrift();
      const { code, stdout } = await world.projections('verify', 'specialties');
      expect(code).to.equal(1);
      expect(stdout).to.include(`1 documents differ at position ${world.head()}`);
      expect(stdout).to.match(new RegExp(`^ {2}specialties ${id} name: "Planted" is served, ".+" was built$`, 'm'));
      expect(await world.builds('specialties')).to.deep.equal([`${first} live`]);
    });

    it('tells the same as JSON', async () => {
      const id = plantDrift();
      const last = jsonLines((await world.projections('verify', 'specialties', '--json')).stdout).at(-1);
      expect(last).to.include({ projection: 'specialties', kind: 'compared' });
      expect(last).to.have.nested.property('report.total', 1);
      expect(last).to.have.nested.property('report.differences[0].id', id);
      expect(last).to.have.nested.property('report.differences[0].fields[0].path', 'name');
    });
  });

  describe('a rebuild of what has drifted', () => {
    beforeEach(() => void plantDrift());

    it('ends with 1 and serves what it did', async () => {
      const { code, stdout } = await world.projections('rebuild', 'specialties');
      expect(code).to.equal(1);
      expect(stdout).to.match(/^specialties: rebuilt, and not served because it differs; .*--approve/m);
      expect(await world.builds('specialties')).to.deep.equal([`${first} live`, `${second} differs`]);
    });

    it('is refused in one line when it is asked for again, until it is approved', async () => {
      await world.projections('rebuild', 'specialties');
      const refused = await world.projections('rebuild', 'specialties');
      expect([refused.code, refused.stderr]).to.deep.equal([
        2,
        `hiring: ${second} differs from what is served; approve it, or cancel it to build it anew\n`,
      ]);
      const approved = await world.projections('rebuild', 'specialties', '--approve');
      expect([approved.code, await world.builds('specialties')]).to.deep.equal([
        0,
        [`${second} live`, `${first} kept`],
      ]);
      expect((await world.projections('verify', 'specialties')).code).to.equal(0);
    });

    it('is given up by cancel', async () => {
      await world.projections('rebuild', 'specialties');
      const { code, stdout } = await world.projections('cancel', 'specialties');
      expect([code, stdout]).to.deep.equal([0, 'specialties: given up\n']);
      expect(await world.builds('specialties')).to.deep.equal([`${first} live`]);
    });
  });
});
