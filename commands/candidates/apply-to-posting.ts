import { professionalAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { candidateDecider, candidateIdOf } from '../../src/domain/candidate.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { DomainError, notFound } from '../../src/errors/domain-error.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

const AppliedReply = object({ id: Identifier });

/** Applies to a posting once; a repetition gets the same id, even after the posting closed. */
export const applyToPosting = defineCommand(candidateDecider)({
  name: 'applyToPosting',
  summary: 'Apply to a posting',
  method: 'POST',
  path: '/postings/:postingId/candidates',
  access: professionalAccess,
  params: object({ postingId: Identifier }),
  body: object({ resumeId: Identifier }),
  async prepare({ principal: { professionalId }, params: { postingId }, body: { resumeId } }, { load }) {
    const { state } = await load(postingDecider, postingId);
    return { id: candidateIdOf(postingId, professionalId), postingId, professionalId, resumeId, posting: state };
  },
  decide(state, { id, postingId, professionalId, resumeId, posting: { facts, isClosed } }) {
    if (state) return [];
    if (!facts) throw notFound('No posting has the id in path/postingId');
    if (isClosed) throw new DomainError('posting-closed', 'The posting is closed');
    return [{ type: 'CandidateApplied', data: { candidateId: id, postingId, professionalId, resumeId } }];
  },
  outcome: (_state, { id }, isChanged) => ({ id, isNew: isChanged }),
  responses: { 201: AppliedReply, 200: AppliedReply },
  refusals: ['not-found', 'posting-closed'],
  respond: ({ id, isNew }) => ({ status: isNew ? 201 : 200, body: { id } }),
});
