import { Type } from '../../src/schema/typebox.ts';
import { professionalAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { savedPostingsDecider } from '../../src/domain/saved-postings.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

/** Takes a posting off the list; succeeds, too, for one that is unknown or not on it. */
export const unsavePosting = defineCommand(savedPostingsDecider)({
  name: 'unsavePosting',
  summary: 'Take a posting off the saved ones',
  method: 'POST',
  path: '/professionals/postings/unsave',
  access: professionalAccess,
  params: object({}),
  body: object({ postingId: Identifier }),
  prepare: ({ principal: { professionalId }, body: { postingId } }) => ({ id: professionalId, postingId }),
  decide: ({ savedAt }, { id: professionalId, postingId }) =>
    savedAt.has(postingId) ? [{ type: 'PostingUnsaved', data: { professionalId, postingId } }] : [],
  outcome: (_state, { postingId }) => ({ postingId }),
  responses: { 200: object({ postingId: Identifier, isSaved: Type.Literal(false) }) },
  refusals: [],
  respond: ({ postingId }) => ({ status: 200, body: { postingId, isSaved: false } }),
});
