import { professionalCandidatesCollection, professionalCandidates } from '../projections/professional-candidates.ts';
import { professionalAccess } from '../src/access/access.ts';
import { notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, object } from '../src/schema/schema.ts';
import { candidateDetailMembers, candidateDetailsOf } from './parts/candidate-rows.ts';
import { OwnCandidateRow, toProfessionalCandidateRow } from './professional-candidates.ts';

/** A candidate as the professional's own list shows it, and what led to that. */
export const getProfessionalCandidate = defineQuery({
  name: 'getProfessionalCandidate',
  summary: "Read one of the professional's own candidates",
  path: '/professionals/candidates/:candidateId',
  access: professionalAccess,
  params: object({ candidateId: Identifier }),
  parameters: object({}),
  reads: [professionalCandidates],
  response: object({ ...OwnCandidateRow.properties, ...candidateDetailMembers }, { title: 'CandidateDetails' }),
  refusals: ['not-found'],
  async find({ principal: { professionalId }, params: { candidateId } }, readModels) {
    const found = await readModels.get(professionalCandidatesCollection, candidateId);
    if (found?.doc.professionalId !== professionalId)
      throw notFound('The professional has no candidate with the id in path/candidateId');
    return { ...toProfessionalCandidateRow(found), ...candidateDetailsOf(found.doc) };
  },
});
