import { recordSpecialty } from '../../../commands/specialties/record-specialty.ts';
import { bodies, ids } from '../../support/examples.ts';
import { given, noContent } from '../../support/given.ts';
import { specialtyKnown, toSpecialty } from '../known.ts';
import { inOtherOrder } from '../other-order.ts';

const put = (body: unknown) => ({ params: { id: ids.specialty }, body });
const reordered = toSpecialty(
  {
    type: 'ProceduresReordered',
    data: { specialtyId: ids.specialty, procedureIds: ['retainers', 'braces', 'aligners'] },
  },
  { by: ids.admin },
);

describe('recordSpecialty', () => {
  it('records a specialty', () =>
    given().when(recordSpecialty, put(bodies.specialty)).then([specialtyKnown], noContent));

  it('appends nothing for the same content with its members in another order', () =>
    given(specialtyKnown)
      .when(recordSpecialty, put(inOtherOrder(bodies.specialty)))
      .thenNothing());

  it("leaves an administrator's order when it is sent again unchanged", () =>
    given(specialtyKnown, reordered).when(recordSpecialty, put(bodies.specialty)).thenNothing());

  it('sets its own order when it changes anything', () => {
    const renamed = { ...bodies.specialty, name: 'Orthodontics and retention' };
    return given(specialtyKnown, reordered)
      .when(recordSpecialty, put(renamed))
      .then([toSpecialty({ type: 'SpecialtyRecorded', data: { specialtyId: ids.specialty, ...renamed } })], noContent);
  });

  it('tells the same procedures in another order from the same', () => {
    const turned = { ...bodies.specialty, procedures: [...bodies.specialty.procedures].reverse() };
    return given(specialtyKnown)
      .when(recordSpecialty, put(turned))
      .then([toSpecialty({ type: 'SpecialtyRecorded', data: { specialtyId: ids.specialty, ...turned } })], noContent);
  });

  it('takes a specialty without procedures', () =>
    given()
      .when(recordSpecialty, put({ name: 'New', procedures: [] }))
      .then(
        [toSpecialty({ type: 'SpecialtyRecorded', data: { specialtyId: ids.specialty, name: 'New', procedures: [] } })],
        noContent,
      ));

  it('refuses procedures that come more than once, and names each once', () =>
    given()
      .when(
        recordSpecialty,
        put({
          name: 'Orthodontics',
          procedures: ['braces', 'aligners', 'braces', 'aligners', 'braces', 'retainers'].map((id) => ({
            id,
            name: id,
          })),
        }),
      )
      .thenRefused('invalid', 'body/procedures must not repeat the ids braces, aligners'));

  for (const name of ['name', 'procedures'])
    it(`refuses a specialty without ${name}`, () =>
      given()
        .when(recordSpecialty, put({ ...bodies.specialty, [name]: null }))
        .thenRefused('invalid', `body/${name} is required`));
});
