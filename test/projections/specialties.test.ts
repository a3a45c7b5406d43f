import { expect } from 'chai';
import { specialties, specialtiesCollection } from '../../projections/specialties.ts';
import { specialtyKnown, toSpecialty } from '../commands/known.ts';
import { bodies, ids } from '../support/examples.ts';
import type { Fact } from '../support/facts.ts';
import { givenEvents } from './given-events.ts';

const [braces, aligners, retainers] = bodies.specialty.procedures;
const reordered = toSpecialty({
  type: 'ProceduresReordered',
  data: { specialtyId: ids.specialty, procedureIds: ['retainers', 'braces', 'aligners'] },
});
const shown = (...facts: readonly Fact[]) =>
  givenEvents(...facts).shows(specialties, specialtiesCollection, ids.specialty);

describe('A specialty', () => {
  it('has its procedures as they were told', async () => {
    expect(await shown(specialtyKnown)).to.deep.equal(bodies.specialty);
  });

  it('has its procedures in the order that an administrator gave them', async () => {
    expect(await shown(specialtyKnown, reordered)).to.deep.equal({
      name: 'Orthodontics',
      procedures: [retainers, braces, aligners],
    });
  });

  it('has the order of what is told later, and its names', async () => {
    const procedures = [{ id: 'aligners', name: 'Invisible aligners' }, braces];
    const told = toSpecialty({
      type: 'SpecialtyRecorded',
      data: { specialtyId: ids.specialty, name: 'Straight teeth', procedures },
    });
    expect(await shown(specialtyKnown, reordered, told)).to.deep.equal({ name: 'Straight teeth', procedures });
  });
});
