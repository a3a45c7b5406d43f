import type { Static } from 'typebox';
import { v5 } from 'uuid';
import { defineEvent } from './events.ts';
import type { Decider } from './decider.ts';
import { Identifier, list, nullable, object, text } from '../schema/schema.ts';

const NAMESPACE = '6d0b2f5e-8f0c-4a53-9a54-0c7d6c6f3b21';

/** The id of the one review that an office gives a professional for a job; `/` is in no identifier. */
export const reviewIdOf = (professionalId: string, officeId: string, jobId: string | null): string =>
  v5(`${professionalId}/${officeId}/${jobId ?? ''}`, NAMESPACE);

export const ReviewFacts = object({
  professionalId: Identifier,
  officeId: Identifier,
  jobId: nullable(Identifier),
  profession: text(200, { minLength: 1 }),
  specialty: nullable(text()),
  endorsed: list(Identifier),
  renounced: list(Identifier),
});
export type ReviewFacts = Static<typeof ReviewFacts>;

export const reviewEvents = [
  defineEvent(
    'ReviewPosted',
    'An office reviewed a professional; an earlier review for the same job is replaced.',
    {
      reviewId: Identifier,
      ...ReviewFacts.properties,
    },
  ),
] as const;

/** Null until there is a review. */
export type ReviewState = ReviewFacts | null;

export const review: Decider<ReviewState, typeof reviewEvents> = {
  category: 'review',
  events: reviewEvents,
  initialState: null,
  evolve: (_state, { data: { reviewId: _id, ...facts } }) => facts,
};
