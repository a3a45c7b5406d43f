import { professionalAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { savedPostingsDecider } from '../../src/domain/saved-postings.ts';
import { notFound } from '../../src/errors/domain-error.ts';
import { Identifier, Timestamp, object } from '../../src/schema/schema.ts';
import { Type } from '../../src/schema/typebox.ts';

/** Saves a posting, even a closed one (interface specification, 4.3). */
export const savePosting = defineCommand(savedPostingsDecider)({
  name: 'savePosting',
  summary: 'Save a posting',
  method: 'POST',
  path: '/professionals/postings/save',
  access: professionalAccess,
  params: object({}),
  body: object({ postingId: Identifier }),
  async prepare({ principal: { professionalId }, body: { postingId } }, { load }) {
    const { state } = await load(postingDecider, postingId);
    if (!state.facts) throw notFound('No posting has the id in body/postingId', '/properties/postingId');
    return { id: professionalId, postingId };
  },
  decide: ({ savedAt }, { id: professionalId, postingId }) =>
    savedAt.has(postingId) ? [] : [{ type: 'PostingSaved', data: { professionalId, postingId } }],
  outcome({ savedAt: saves }, { postingId }) {
    const savedAt = saves.get(postingId);
    if (savedAt === undefined) throw new Error('A posting that was saved is not on the list');
    return { postingId, savedAt };
  },
  responses: { 200: object({ postingId: Identifier, isSaved: Type.Literal(true), savedAt: Timestamp }) },
  refusals: ['not-found'],
  respond: ({ postingId, savedAt }) => ({ status: 200, body: { postingId, isSaved: true, savedAt } }),
});
