// @ts-check
/**
 * The rule of `src/domain/saved-postings.ts` and `commands/saved-postings/save-posting.ts` as a decider of Emmett's.
 *
 * @typedef {{ actor: string, recordedAt: string }} Metadata
 * @typedef {{ professionalId: string, postingId: string }} Ids
 * @typedef {import('@event-driven-io/emmett').Event<'PostingSaved' | 'PostingUnsaved', Ids, Metadata>}
 *   SavedPostingsEvent
 * @typedef {import('@event-driven-io/emmett').Command<'SavePosting', Ids, { actor: string, now: Date }>} SavePosting
 * @typedef {{ savedAt: Map<string, string> }} SavedPostings when each posting on the list was saved
 */

/** @param {string} professionalId */
export const savedPostingsStream = (professionalId) => `savedPostings-${professionalId}`;

/** @type {import('@event-driven-io/emmett').Decider<SavedPostings, SavePosting, SavedPostingsEvent>} */
export const savedPostings = {
  initialState: () => ({ savedAt: new Map() }),

  // Changes the map that `initialState` made, where a copy for each event would make long lists slow.
  evolve: (state, { type, data, metadata }) => {
    if (type === 'PostingSaved') state.savedAt.set(data.postingId, metadata.recordedAt);
    if (type === 'PostingUnsaved') state.savedAt.delete(data.postingId);
    return state;
  },

  decide: ({ data, metadata: { actor, now } }, { savedAt }) =>
    savedAt.has(data.postingId)
      ? []
      : { type: 'PostingSaved', data, metadata: { actor, recordedAt: now.toISOString() } },
};

/** @param {string} postingId */
export const postingStream = (postingId) => `posting-${postingId}`;

/**
 * Folds a posting's stream to whether its facts are known.
 *
 * @type {{ initialState: () => boolean, evolve: (state: boolean, event: { type: string }) => boolean }}
 */
export const postingIsKnown = {
  initialState: () => false,
  evolve: (isKnown, { type }) => isKnown || type === 'PostingRecorded',
};
