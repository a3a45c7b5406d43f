import { candidate, type Candidate, type candidateEvents } from '../../src/domain/candidate.ts';
import type { EventOf } from '../../src/domain/events.ts';
import type { Documents } from '../../src/projector/projection.ts';

type CandidateEvent = EventOf<(typeof candidateEvents)[number]>;

/** Evolves a candidate as the domain does. @param candidates where they are kept, under the ids that `idOf` gives */
export const evolveCandidate =
  (
    candidates: {
      ownOf(id: string, documents: Documents): Candidate | undefined;
      set(id: string, own: Candidate, documents: Documents): void;
    },
    idOf: (ids: CandidateEvent['data']) => string = ({ candidateId }) => candidateId,
  ) =>
  (event: CandidateEvent, documents: Documents): void => {
    const id = idOf(event.data);
    const after = candidate.evolve(candidates.ownOf(id, documents) ?? null, event);
    if (after) candidates.set(id, after, documents);
  };
