import { isDeepStrictEqual } from 'node:util';
import { Type } from '../../src/schema/typebox.ts';
import { adminAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { specialtyDecider } from '../../src/domain/specialty.ts';
import { invalidAt, notFound } from '../../src/errors/domain-error.ts';
import { duplicatesIn } from '../../src/lib/duplicates.ts';
import { Identifier, list, object } from '../../src/schema/schema.ts';

const orderFaults = (known: readonly string[], wanted: readonly string[]): string[] => {
  const faults = {
    missing: known.filter((id) => !wanted.includes(id)),
    unknown: wanted.filter((id) => !known.includes(id)),
    repeated: duplicatesIn(wanted),
  };
  return Object.entries(faults).flatMap(([fault, ids]) => (ids.length > 0 ? [`${fault}: ${ids.join(', ')}`] : []));
};

/** Updates the order of the procedures of a specialty (interface specification, 4.5). */
export const reorderProcedures = defineCommand(specialtyDecider)({
  name: 'reorderProcedures',
  summary: 'Set the order of the procedures of a specialty',
  method: 'PATCH',
  path: '/admin/credentials/specialties/:id/procedures/order',
  access: adminAccess,
  params: object({ id: Identifier }),
  body: object({ procedure_ids: list(Identifier) }),
  prepare: ({ params: { id }, body }) => ({ id, procedureIds: body.procedure_ids }),
  decide({ facts, order }, { id, procedureIds }) {
    if (!facts) throw notFound('No specialty has the id in path/id');
    const faults = orderFaults(order, procedureIds);
    if (faults.length > 0)
      throw invalidAt('body/procedure_ids', `must be exactly the procedures of the specialty; ${faults.join('; ')}`);
    return isDeepStrictEqual(order, procedureIds)
      ? []
      : [{ type: 'ProceduresReordered', data: { specialtyId: id, procedureIds } }];
  },
  outcome: () => null,
  responses: { 200: object({ message: Type.Literal('Success') }) },
  refusals: ['not-found'],
  respond: () => ({ status: 200, body: { message: 'Success' } }),
});
