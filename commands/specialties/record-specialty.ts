import { isDeepStrictEqual } from 'node:util';
import { internal } from '../../src/access/access.ts';
import { bodyOfFact, completer } from '../../src/schema/body.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { SpecialtyFacts, specialty } from '../../src/domain/specialty.ts';
import { invalidAt } from '../../src/errors/domain-error.ts';
import { duplicatesIn } from '../../src/lib/duplicates.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

const complete = completer(SpecialtyFacts);

/** The same facts again keep an administrator's order of the procedures; different ones bring their own. */
export const recordSpecialty = defineCommand(specialty)({
  name: 'recordSpecialty',
  summary: 'Create or revise a specialty',
  method: 'PUT',
  path: '/internal/specialties/:id',
  access: internal,
  params: object({ id: Identifier }),
  body: bodyOfFact(SpecialtyFacts, ['name', 'procedures']),
  prepare({ params: { id }, body }) {
    const facts = complete(body);
    const repeated = duplicatesIn(facts.procedures.map((procedure) => procedure.id));
    if (repeated.length > 0)
      throw invalidAt('body/procedures', `must not repeat the ids ${repeated.join(', ')}`);
    return { id, facts };
  },
  decide: (state, { id, facts }) =>
    isDeepStrictEqual(state.facts, facts)
      ? []
      : [{ type: 'SpecialtyRecorded', data: { specialtyId: id, ...facts } }],
  ...noContent,
  refusals: [],
});
