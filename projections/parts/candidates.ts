import { candidate, type Candidate, type candidateEvents } from '../../src/domain/candidate.ts';
import type { EventOf } from '../../src/domain/events.ts';
import type { Documents } from '../../src/projector/projection.ts';

type CandidateEvent = EventOf<(typeof candidateEvents)[number]>;

interface Store {
  ownOf(id: string, documents: Documents): Candidate | undefined;
  set(id: string, own: Candidate, documents: Documents): void;
}

/**
 * Handlers that evolve a candidate as the domain does.
 *
 * @param store where candidates are kept: a view, mostly
 * @param idOf their id there
 */
export const candidateHandlers = (
  store: Store,
  idOf: (ids: CandidateEvent['data']) => string = ({ candidateId }) => candidateId,
) => {
  const applier = (event: CandidateEvent, documents: Documents) => {
    const id = idOf(event.data);
    const after = candidate.evolve(store.ownOf(id, documents) ?? null, event);
    if (after) store.set(id, after, documents);
  };
  return {
    CandidateApplied: applier,
    InterviewScheduled: applier,
    InterviewMoved: applier,
    InterviewCancelled: applier,
    InterviewHeld: applier,
    CandidateHired: applier,
    CandidateRejected: applier,
    CandidateShortlistChanged: applier,
  };
};
