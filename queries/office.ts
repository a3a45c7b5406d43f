import { officesCollection, professionalCandidates } from '../projections/professional-candidates.ts';
import { internalAccess } from '../src/access/access.ts';
import { notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, object } from '../src/schema/schema.ts';
import { OfficeData } from '../src/schema/vocabulary.ts';

export const getOffice = defineQuery({
  name: 'getOffice',
  summary: 'Read an office back',
  path: '/internal/offices/:id',
  access: internalAccess,
  params: object({ id: Identifier }),
  parameters: object({}),
  reads: [professionalCandidates],
  response: object({ id: Identifier, ...OfficeData.properties }, { title: 'Office' }),
  refusals: ['not-found'],
  async find({ params: { id } }, readModels) {
    const found = await readModels.get(officesCollection, id);
    if (!found) throw notFound('No office has the id in path/id');
    return { id, ...found.doc.facts };
  },
});
