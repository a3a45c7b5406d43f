import { reorderProcedures } from '../../../commands/specialties/reorder-procedures.ts';
import { ids } from '../../support/examples.ts';
import { given } from '../../support/given.ts';
import { specialtyKnown, toSpecialty } from '../known.ts';

const order = (...procedureIds: string[]) => ({
  as: 'admin' as const,
  params: { id: ids.specialty },
  body: { procedure_ids: procedureIds },
});
const reordered = (...procedureIds: string[]) =>
  toSpecialty({ type: 'ProceduresReordered', data: { specialtyId: ids.specialty, procedureIds } }, { by: ids.admin });
const success = { status: 200, body: { message: 'Success' } };
const mustBe = 'body/procedure_ids must be exactly the procedures of the specialty';

describe('reorderProcedures', () => {
  it('sets the order', () =>
    given(specialtyKnown)
      .when(reorderProcedures, order('retainers', 'braces', 'aligners'))
      .then([reordered('retainers', 'braces', 'aligners')], success));

  it('appends nothing for the order that the specialty came with', () =>
    given(specialtyKnown)
      .when(reorderProcedures, order('braces', 'aligners', 'retainers'))
      .thenNothing(success));

  it('appends nothing for the order that an administrator gave', () =>
    given(specialtyKnown, reordered('retainers', 'braces', 'aligners'))
      .when(reorderProcedures, order('retainers', 'braces', 'aligners'))
      .thenNothing(success));

  it('returns to the order that the specialty came with', () =>
    given(specialtyKnown, reordered('retainers', 'braces', 'aligners'))
      .when(reorderProcedures, order('braces', 'aligners', 'retainers'))
      .then([reordered('braces', 'aligners', 'retainers')], success));

  it('begins from the order of a specialty that was revised', () => {
    const revised = toSpecialty({
      type: 'SpecialtyRecorded',
      data: { specialtyId: ids.specialty, name: 'Orthodontics', procedures: [{ id: 'braces', name: 'Braces' }] },
    });
    return given(specialtyKnown, reordered('retainers', 'braces', 'aligners'), revised)
      .when(reorderProcedures, order('braces'))
      .thenNothing(success);
  });

  const faults = {
    'missing: aligners, retainers': ['braces'],
    'missing: braces, aligners, retainers': [],
    'unknown: veneers': ['braces', 'aligners', 'retainers', 'veneers'],
    'repeated: braces': ['braces', 'aligners', 'retainers', 'braces', 'braces'],
    'missing: retainers; unknown: veneers; repeated: braces': ['braces', 'aligners', 'veneers', 'braces'],
  };
  for (const [fault, procedureIds] of Object.entries(faults))
    it(`names what is ${fault}`, () =>
      given(specialtyKnown)
        .when(reorderProcedures, order(...procedureIds))
        .thenRefused('invalid', `${mustBe}; ${fault}`));

  it('refuses a specialty that is not known', () =>
    given().when(reorderProcedures, order()).thenRefused('not-found', 'No specialty has the id in path/id'));

  it('refuses a caller who is no administrator', () =>
    given(specialtyKnown)
      .when(reorderProcedures, { ...order('braces'), as: 'office' })
      .thenRefused('forbidden', 'The token names no role admin'));
});
