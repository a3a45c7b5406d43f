import { Type } from '../src/schema/typebox.ts';
import { specialties, specialtiesCollection } from '../projections/specialties.ts';
import { adminAccess } from '../src/access/access.ts';
import { notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, object } from '../src/schema/schema.ts';

export const getSpecialty = defineQuery({
  name: 'getSpecialty',
  summary: 'Read a specialty back',
  path: '/admin/credentials/specialties/:id',
  access: adminAccess,
  params: object({ id: Identifier }),
  parameters: object({}),
  reads: [specialties],
  response: object(
    {
      id: Identifier,
      name: Type.String(),
      procedures: Type.Array(object({ id: Identifier, name: Type.String() }, { title: 'Procedure' })),
    },
    { title: 'Specialty' },
  ),
  refusals: ['not-found'],
  async find({ params: { id } }, readModels) {
    const found = await readModels.get(specialtiesCollection, id);
    if (!found) throw notFound('No specialty has the id in path/id');
    return { id, ...found.doc };
  },
});
