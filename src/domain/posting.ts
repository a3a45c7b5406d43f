import type { Static } from '../schema/typebox.ts';
import { defineEvent } from './events.ts';
import type { Decider } from './decider.ts';
import { Identifier, list, nullable, object, text } from '../schema/schema.ts';
import { SalaryRange, Schedule } from '../schema/vocabulary.ts';

/** What the rest of the business says of a posting. */
export const PostingFacts = object({
  officeId: Identifier,
  title: text(200, { minLength: 1 }),
  description: nullable(text(20_000)),
  profession: text(200, { minLength: 1 }),
  professionName: nullable(text()),
  subProfession: nullable(text()),
  subProfessionName: nullable(text()),
  specialty: nullable(text()),
  state: nullable(text()),
  benefits: list(text()),
  benefitsOther: nullable(text(2_000)),
  procedures: list(text()),
  salaryRange: nullable(SalaryRange),
  schedule: nullable(Schedule),
});
export type PostingFacts = Static<typeof PostingFacts>;

export const postingEvents = [
  defineEvent('PostingRecorded', 'The rest of the business told what it knows of a posting.', {
    postingId: Identifier,
    ...PostingFacts.properties,
  }),
  defineEvent('PostingClosed', 'A posting was closed, for good; its open candidates are closed with it.', {
    postingId: Identifier,
  }),
] as const;

export interface PostingState {
  /** Null until the posting is known. */
  readonly facts: PostingFacts | null;
  readonly isClosed: boolean;
}

export const posting: Decider<PostingState, typeof postingEvents> = {
  category: 'posting',
  events: postingEvents,
  initialState: { facts: null, isClosed: false },
  evolve(state, event) {
    switch (event.type) {
      case 'PostingRecorded': {
        const { postingId: _id, ...facts } = event.data;
        return { ...state, facts };
      }
      case 'PostingClosed':
        return { ...state, isClosed: true };
    }
  },
};
