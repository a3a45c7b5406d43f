import { candidatesOfProfessional, professionalCandidates } from '../projections/professional-candidates.ts';
import { professional } from '../src/access/access.ts';
import { notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, object } from '../src/schema/schema.ts';
import { detailMembers, detailsOf } from './parts/candidate-rows.ts';
import { Row, toRow } from './professional-candidates.ts';

/** A candidate as the professional's own list shows it, and what led to that. */
export const getProfessionalCandidate = defineQuery({
  name: 'getProfessionalCandidate',
  summary: "Read one of the professional's own candidates",
  path: '/professionals/candidates/:candidateId',
  access: professional,
  params: object({ candidateId: Identifier }),
  parameters: object({}),
  reads: [professionalCandidates],
  response: object({ ...Row.properties, ...detailMembers }, { title: 'CandidateDetails' }),
  refusals: ['not-found'],
  async find({ principal: { professionalId }, params: { candidateId } }, readModels) {
    const found = await readModels.get(candidatesOfProfessional, candidateId);
    if (found?.doc.professionalId !== professionalId)
      throw notFound('The professional has no candidate with the id in path/candidateId');
    return { ...toRow(found), ...detailsOf(found.doc) };
  },
});
