import { defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier } from '../schema/schema.ts';
import { PostingData } from '../schema/vocabulary.ts';

export const postingEvents = [
  defineEvent('PostingRecorded', 'The rest of the business told what it knows of a posting.', {
    postingId: Identifier,
    ...PostingData.properties,
  }),
  defineEvent('PostingClosed', 'A posting was closed, for good; its open candidates are closed with it.', {
    postingId: Identifier,
  }),
] as const;

export interface PostingState {
  /** Null until the posting is known. */
  readonly facts: PostingData | null;
  readonly isClosed: boolean;
}

export const postingDecider: Decider<PostingState, typeof postingEvents> = {
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
