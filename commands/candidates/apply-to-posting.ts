import { professional } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { candidate, candidateIdOf } from '../../src/domain/candidate.ts';
import { posting } from '../../src/domain/posting.ts';
import { DomainError, notFound } from '../../src/errors/domain-error.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

const Applied = object({ id: Identifier });

/** Applies to a posting once; a repetition gets the same id, even after the posting closed. */
export const applyToPosting = defineCommand(candidate)({
  name: 'applyToPosting',
  summary: 'Apply to a posting',
  method: 'POST',
  path: '/postings/:postingId/candidates',
  access: professional,
  params: object({ postingId: Identifier }),
  body: object({ resumeId: Identifier }),
  async prepare({ principal: { professionalId }, params: { postingId }, body: { resumeId } }, { load }) {
    const { state } = await load(posting, postingId);
    return {
      id: candidateIdOf(postingId, professionalId),
      postingId,
      professionalId,
      resumeId,
      posting: state,
    };
  },
  decide(state, { id, postingId, professionalId, resumeId, posting: { facts, isClosed } }) {
    if (state) return [];
    if (!facts) throw notFound('No posting has the id in path/postingId');
    if (isClosed) throw new DomainError('posting-closed', 'The posting is closed');
    return [{ type: 'CandidateApplied', data: { candidateId: id, postingId, professionalId, resumeId } }];
  },
  outcome: (_state, { id }, isChanged) => ({ id, isNew: isChanged }),
  responses: { 201: Applied, 200: Applied },
  refusals: ['not-found', 'posting-closed'],
  respond: ({ id, isNew }) => ({ status: isNew ? 201 : 200, body: { id } }),
});
