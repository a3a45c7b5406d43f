import { isDeepStrictEqual } from 'node:util';
import { internalAccess } from '../../src/access/access.ts';
import { putBodySchemaOf, createPutBodyCompleter } from '../../src/schema/body.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { SpecialtyData, specialtyDecider } from '../../src/domain/specialty.ts';
import { invalidAt } from '../../src/errors/domain-error.ts';
import { duplicatesIn } from '../../src/lib/duplicates.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

const complete = createPutBodyCompleter(SpecialtyData);

/** The same facts again keep an administrator's order of the procedures; different ones bring their own. */
export const recordSpecialty = defineCommand(specialtyDecider)({
  name: 'recordSpecialty',
  summary: 'Create or revise a specialty',
  method: 'PUT',
  path: '/internal/specialties/:id',
  access: internalAccess,
  params: object({ id: Identifier }),
  body: putBodySchemaOf(SpecialtyData, ['name', 'procedures']),
  prepare({ params: { id }, body }) {
    const facts = complete(body);
    const repeated = duplicatesIn(facts.procedures.map((procedure) => procedure.id));
    if (repeated.length > 0) throw invalidAt('body/procedures', `must not repeat the ids ${repeated.join(', ')}`);
    return { id, facts };
  },
  decide: (state, { id, facts }) =>
    isDeepStrictEqual(state.facts, facts) ? [] : [{ type: 'SpecialtyRecorded', data: { specialtyId: id, ...facts } }],
  ...noContent,
  refusals: [],
});
