import type { Static } from '../schema/typebox.ts';
import { v5 } from 'uuid';
import { defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier, list, nullable, object, text } from '../schema/schema.ts';

const NAMESPACE = '6d0b2f5e-8f0c-4a53-9a54-0c7d6c6f3b21';

/** What administrators review as, without a posting (decisions, 4.9). */
export const ADMINISTRATORS_OFFICE_ID = 'admin';

/**
 * The id of the one review that an office gives a professional for a job; `/` is in no identifier.
 *
 * @param reviewer administrators without a posting review as the office `admin`, in older logs too. The suffix
 *   `/office` keeps the reviews of an office that has this id apart from theirs.
 */
export const reviewIdOf = (
  professionalId: string,
  officeId: string,
  jobId: string | null,
  reviewer: 'office' | 'administrators' = 'office',
): string => {
  const isLikeAdministrators = reviewer === 'office' && officeId === ADMINISTRATORS_OFFICE_ID && jobId === null;
  return v5(`${professionalId}/${officeId}/${jobId ?? ''}${isLikeAdministrators ? '/office' : ''}`, NAMESPACE);
};

export const ReviewData = object({
  professionalId: Identifier,
  officeId: Identifier,
  jobId: nullable({ ...Identifier, description: 'The posting that it is about.' }),
  profession: text(200, { minLength: 1 }),
  specialty: nullable(text(200, { description: 'Its name, not the id of a specialty.' })),
  endorsed: list(Identifier, undefined, { description: 'The ids of procedures that the reviewer confirms.' }),
  renounced: list(Identifier, undefined, { description: 'The ids of procedures that the reviewer denies.' }),
});
export type ReviewData = Static<typeof ReviewData>;

export const reviewEvents = [
  defineEvent('ReviewPosted', 'An office reviewed a professional; an earlier review for the same job is replaced.', {
    reviewId: Identifier,
    ...ReviewData.properties,
  }),
] as const;

/** Null until there is a review. */
export type ReviewState = ReviewData | null;

export const reviewDecider: Decider<ReviewState, typeof reviewEvents> = {
  category: 'review',
  events: reviewEvents,
  initialState: null,
  evolve: (_state, { data: { reviewId: _id, ...facts } }) => facts,
};
