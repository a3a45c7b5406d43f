import { candidatesOfPosting, postingCandidates } from '../projections/posting-candidates.ts';
import { tabsOfPosting } from '../projections/parts/tabs.ts';
import { officeOrAdmin } from '../src/access/access.ts';
import { forbidden, notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, object } from '../src/schema/schema.ts';
import { detailMembers, detailsOf } from './parts/candidate-rows.ts';
import { Row, toRow } from './posting-candidates.ts';

/** A candidate as the list of its posting shows it, and what led to that; refused as its PATCH is. */
export const getPostingCandidate = defineQuery({
  name: 'getPostingCandidate',
  summary: 'Read a candidate of a posting',
  path: '/postings/:postingId/candidates/:candidateId',
  access: officeOrAdmin,
  params: object({ postingId: Identifier, candidateId: Identifier }),
  parameters: object({}),
  reads: [postingCandidates],
  response: object({ ...Row.properties, ...detailMembers }, { title: 'PostingCandidateDetails' }),
  refusals: ['not-found'],
  async find({ principal, params: { postingId, candidateId } }, readModels) {
    const officeId = (await readModels.get(tabsOfPosting, postingId))?.doc.officeId ?? null;
    if (!principal.isAdmin && officeId !== principal.officeId)
      throw forbidden("The posting is not the office's");
    if (officeId === null) throw notFound('No posting has the id in path/postingId');
    const found = await readModels.get(candidatesOfPosting, candidateId);
    if (found?.doc.postingId !== postingId)
      throw notFound('The posting has no candidate with the id in path/candidateId');
    return { ...toRow(found), ...detailsOf(found.doc) };
  },
});
