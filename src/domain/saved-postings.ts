import { persistentMap, type PersistentMap } from './persistent-map.ts';
import { Type, type Static } from '../schema/typebox.ts';
import { defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier, object, personal, text } from '../schema/schema.ts';

export const Coordinates = object({ latitude: Type.Number(), longitude: Type.Number() });
export type Coordinates = Static<typeof Coordinates>;

const ids = { professionalId: Identifier, postingId: Identifier };

export const savedPostingsEvents = [
  defineEvent('PostingSaved', 'A professional saved a posting.', ids),
  defineEvent('PostingUnsaved', 'A professional took a saved posting off the list.', ids),
  defineEvent('CommuteMeasured', 'A road router told the way from a professional to the office of a saved posting.', {
    ...ids,
    from: personal(Coordinates, 'professionalId', 'place'),
    to: Coordinates,
    // Both tell something of where the professional lives.
    roadDistance: personal(Type.Number({ minimum: 0, description: 'Miles.' }), 'professionalId', 'place'),
    eta: personal(text(40, { description: 'An ISO 8601 duration.' }), 'professionalId', 'place'),
  }),
] as const;

export interface SavedPostingsState {
  /** When each posting was saved. A persistent map: each event makes a new one, and a list may be long. */
  readonly savedAt: PersistentMap<string, string>;
}

export const savedPostingsDecider: Decider<SavedPostingsState, typeof savedPostingsEvents> = {
  category: 'savedPostings',
  events: savedPostingsEvents,
  initialState: { savedAt: persistentMap() },
  sizeOf: ({ savedAt }) => savedAt.size,
  evolve(state, event) {
    switch (event.type) {
      case 'PostingSaved':
        return { savedAt: state.savedAt.set(event.data.postingId, event.metadata.recordedAt) };
      case 'PostingUnsaved':
        return { savedAt: state.savedAt.delete(event.data.postingId) };
      case 'CommuteMeasured':
        return state;
    }
  },
};
