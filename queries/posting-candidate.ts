import { postingCandidatesCollection, postingCandidates } from '../projections/posting-candidates.ts';
import { postingTabsCollection } from '../projections/parts/posting-tabs.ts';
import { officeOrAdminAccess } from '../src/access/access.ts';
import { forbidden, notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, object } from '../src/schema/schema.ts';
import { candidateDetailMembers, candidateDetailsOf } from './parts/candidate-rows.ts';
import { PostingCandidateRow, toPostingCandidateRow } from './posting-candidates.ts';

/** A candidate as the list of its posting shows it, and what led to that; refused as its PATCH is. */
export const getPostingCandidate = defineQuery({
  name: 'getPostingCandidate',
  summary: 'Read a candidate of a posting',
  path: '/postings/:postingId/candidates/:candidateId',
  access: officeOrAdminAccess,
  params: object({ postingId: Identifier, candidateId: Identifier }),
  parameters: object({}),
  reads: [postingCandidates],
  response: object(
    { ...PostingCandidateRow.properties, ...candidateDetailMembers },
    { title: 'PostingCandidateDetails' },
  ),
  refusals: ['not-found'],
  async find({ principal, params: { postingId, candidateId } }, readModels) {
    const officeId = (await readModels.get(postingTabsCollection, postingId))?.doc.officeId ?? null;
    if (!principal.isAdmin && officeId !== principal.officeId) throw forbidden("The posting is not the office's");
    if (officeId === null) throw notFound('No posting has the id in path/postingId');
    const found = await readModels.get(postingCandidatesCollection, candidateId);
    if (found?.doc.postingId !== postingId)
      throw notFound('The posting has no candidate with the id in path/candidateId');
    return { ...toPostingCandidateRow(found), ...candidateDetailsOf(found.doc) };
  },
});
