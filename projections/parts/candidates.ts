import { candidate, type Candidate, type candidateEvents } from '../../src/domain/candidate.ts';
import type { EventOf } from '../../src/domain/events.ts';
import type { Documents } from '../../src/projector/projection.ts';

type CandidateEvent = EventOf<(typeof candidateEvents)[number]>;

interface Store {
  ownOf(id: string, documents: Documents): Candidate | undefined;
  set(id: string, own: Candidate, documents: Documents): void;
}

/**
 * Handlers for every event of a candidate, folded as the domain folds them.
 *
 * @param store where the candidates are kept: a view, mostly
 * @param idOf the id under which they are kept there
 */
export const candidateHandlers = (
  store: Store,
  idOf: (ids: CandidateEvent['data']) => string = ({ candidateId }) => candidateId,
) => {
  const fold = (event: CandidateEvent, documents: Documents) => {
    const id = idOf(event.data);
    const after = candidate.evolve(store.ownOf(id, documents) ?? null, event);
    if (after) store.set(id, after, documents);
  };
  return {
    CandidateApplied: fold,
    InterviewScheduled: fold,
    InterviewMoved: fold,
    InterviewCancelled: fold,
    InterviewHeld: fold,
    CandidateHired: fold,
    CandidateRejected: fold,
    CandidateShortlistChanged: fold,
  };
};
