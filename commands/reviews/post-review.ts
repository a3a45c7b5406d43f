import { isDeepStrictEqual } from 'node:util';
import { Type } from '../../src/schema/typebox.ts';
import { officeOrAdminAccess, type User } from '../../src/access/access.ts';
import { defineCommand, noContent, type CommandContext } from '../../src/application/command.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { professionalDecider } from '../../src/domain/professional.ts';
import { ADMINISTRATORS_OFFICE_ID, reviewDecider, reviewIdOf } from '../../src/domain/review.ts';
import { forbidden, invalidAt, notFound } from '../../src/errors/domain-error.ts';
import { Identifier, MAX_ENTRIES, object, text } from '../../src/schema/schema.ts';

const entries = Type.Optional(
  Type.Array(Identifier, { maxItems: MAX_ENTRIES, uniqueItems: true, description: 'Procedures or skills.' }),
);

interface Reviewer {
  readonly kind: 'office' | 'administrators';
  readonly officeId: string;
}
const officeReviewer = (officeId: string): Reviewer => ({ kind: 'office', officeId });

/** Who reviews: the user's office; for an administrator the posting's office, or the administrators without one. */
const reviewerOf = async (user: User, jobId: string | undefined, { load }: CommandContext): Promise<Reviewer> => {
  const facts = jobId === undefined ? undefined : (await load(postingDecider, jobId)).state.facts;
  if (user.isAdmin) {
    if (facts === null) throw notFound('No posting has the id in body/jobID', '/properties/jobID');
    return facts ? officeReviewer(facts.officeId) : { kind: 'administrators', officeId: ADMINISTRATORS_OFFICE_ID };
  }
  if (user.officeId === undefined) throw forbidden('The token names no office_id');
  if (facts !== undefined && facts?.officeId !== user.officeId)
    throw forbidden("The posting in body/jobID is not the office's");
  return officeReviewer(user.officeId);
};

/** Reviews a professional for an office (interface specification, 4.9); a second review replaces the first. */
export const postReview = defineCommand(reviewDecider)({
  name: 'postReview',
  summary: 'Review a professional',
  method: 'POST',
  path: '/users/:id/credentials/reviews',
  access: officeOrAdminAccess,
  params: object({ id: Identifier }),
  body: object({
    endorsed: entries,
    renounced: entries,
    jobID: Type.Optional(Identifier),
    profession: text(200, { minLength: 1 }),
    specialty: Type.Optional(text()),
  }),
  async prepare({ principal, params: { id: professionalId }, body }, context) {
    const { endorsed = [], renounced = [], jobID, profession, specialty = null } = body;
    if (endorsed.length + renounced.length === 0)
      throw invalidAt('body', 'must have an entry in endorsed or renounced');
    const both = endorsed.filter((entry) => renounced.includes(entry));
    if (both.length > 0) throw invalidAt('body/renounced', `must not repeat what is endorsed: ${both.join(', ')}`);
    const { profile } = (await context.load(professionalDecider, professionalId)).state;
    if (!profile) throw notFound('No professional has the id in path/id');
    const { kind, officeId } = await reviewerOf(principal, jobID, context);
    const jobId = jobID ?? null;
    return {
      id: reviewIdOf(professionalId, officeId, jobId, kind),
      facts: { professionalId, officeId, jobId, profession, specialty, endorsed, renounced },
    };
  },
  decide: (state, { id, facts }) =>
    isDeepStrictEqual(state, facts) ? [] : [{ type: 'ReviewPosted', data: { reviewId: id, ...facts } }],
  ...noContent,
  refusals: ['not-found'],
});
