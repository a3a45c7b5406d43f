import { candidateDecider } from '../../../src/domain/candidate.ts';
import { savedPostingsDecider } from '../../../src/domain/saved-postings.ts';
import { on, type Fact } from '../../support/facts.ts';
import { march, measured, world } from '../report/world.ts';

const saved = (type: 'PostingSaved' | 'PostingUnsaved', professionalId: string, postingId: string, day: number): Fact =>
  on(savedPostingsDecider, professionalId)({ type, data: { professionalId, postingId } }, { at: march(day) });

const candidateOf = (id: string, professionalId: string, postingId: string) => {
  const ids = { candidateId: id, postingId, professionalId };
  const interview = { ...ids, interviewId: `i-${id}` };
  const that = on(candidateDecider, id);
  return {
    applied: (day: number) => that({ type: 'CandidateApplied', data: { ...ids, resumeId: 'r' } }, { at: march(day) }),
    invited: (day: number, to: number) =>
      that({ type: 'InterviewScheduled', data: { ...interview, interviewAt: march(to) } }, { at: march(day) }),
    moved: (day: number, to: number) =>
      that({ type: 'InterviewMoved', data: { ...interview, interviewAt: march(to) } }, { at: march(day) }),
    cancelled: (day: number) => that({ type: 'InterviewCancelled', data: interview }, { at: march(day) }),
    hired: (day: number) => that({ type: 'CandidateHired', data: ids }, { at: march(day) }),
  };
};

const dan = candidateOf('c5', 'dan', 'p2');
const fay = candidateOf('c6', 'fay', 'p2');

/**
 * The world of a report, with more at p2: Dan's interview is moved to a later day and back a little, and he is hired;
 * Fay's is cancelled; Eve takes p2 off her list; Cat saves it after she has applied. Ann's way to p1 was measured.
 */
export const replayWorld: readonly Fact[] = [
  ...world,
  measured(12.34),
  saved('PostingSaved', 'dan', 'p2', 12),
  saved('PostingSaved', 'eve', 'p2', 12),
  saved('PostingSaved', 'fay', 'p2', 12),
  saved('PostingSaved', 'cat', 'p2', 13),
  dan.applied(13),
  fay.applied(14),
  dan.invited(14, 20),
  saved('PostingUnsaved', 'eve', 'p2', 15),
  dan.moved(15, 24),
  fay.invited(15, 21),
  fay.cancelled(16),
  dan.moved(16, 22),
  dan.hired(24),
];
