import { candidateDecider, type Candidate, type candidateEvents } from '../../src/domain/candidate.ts';
import type { EventOf } from '../../src/streams/events.ts';
import type { ProjectionDocuments } from '../../src/projector/projection.ts';
import type { CandidateOfficeStatus } from '../../src/schema/vocabulary.ts';

type CandidateEvent = EventOf<(typeof candidateEvents)[number]>;

/** Where candidates are kept. */
interface CandidateStore<Own> {
  ownOf(id: string, documents: ProjectionDocuments): Own | undefined;
  set(id: string, own: Own, documents: ProjectionDocuments): void;
}

/**
 * The handlers of all events of a candidate, which evolve it as the domain does.
 *
 * @param candidates where they are kept, under the ids that `idOf` gives
 */
export const createCandidateHandlers = (
  candidates: CandidateStore<Candidate>,
  idOf: (ids: CandidateEvent['data']) => string = ({ candidateId }) => candidateId,
) => {
  const evolve = (event: CandidateEvent, documents: ProjectionDocuments): void => {
    const id = idOf(event.data);
    const after = candidateDecider.evolve(candidates.ownOf(id, documents) ?? null, event);
    if (after) candidates.set(id, after, documents);
  };
  return {
    CandidateApplied: evolve,
    InterviewScheduled: evolve,
    InterviewMoved: evolve,
    InterviewCancelled: evolve,
    InterviewHeld: evolve,
    CandidateHired: evolve,
    CandidateRejected: evolve,
    CandidateShortlistChanged: evolve,
  } satisfies Record<CandidateEvent['type'], typeof evolve>;
};

/** When a candidate came to an office status. */
export interface StatusChange {
  readonly officeStatus: CandidateOfficeStatus;
  readonly at: string;
}

/** A candidate by its own stream, with all that it went through, oldest first: the application is the first move. */
export interface CandidateWithMoves {
  readonly own: Candidate;
  readonly moves: readonly StatusChange[];
}

/** The same, which also note its moves. */
export const createCandidateHandlersWithMoves = (rows: CandidateStore<CandidateWithMoves>) =>
  createCandidateHandlers({
    ownOf: (id, documents) => rows.ownOf(id, documents)?.own,
    set(id, own, documents) {
      const before = rows.ownOf(id, documents);
      const { officeStatus, updatedAt: at } = own;
      const moves = before?.moves ?? [];
      const isMoved = officeStatus !== before?.own.officeStatus;
      rows.set(id, { own, moves: isMoved ? [...moves, { officeStatus, at }] : moves }, documents);
    },
  });
