import { ids, times } from '../../support/examples.ts';
import type { Fact } from '../../support/facts.ts';
import type { CandidateOfficeStatus } from '../../../src/schema/vocabulary.ts';
import { applied, candidateFacts, toCandidate } from '../known.ts';

/** What an office did with a candidate before. */

const by = { by: ids.officeUser };
const interview = { ...candidateFacts, interviewId: 'interview-1' };
export const scheduled = toCandidate(
  { type: 'InterviewScheduled', data: { ...interview, interviewAt: times.interview } },
  by,
);
export const moved = toCandidate(
  { type: 'InterviewMoved', data: { ...interview, interviewAt: times.otherInterview } },
  by,
);
export const cancelled = toCandidate({ type: 'InterviewCancelled', data: interview }, by);
export const held = toCandidate({ type: 'InterviewHeld', data: interview }, by);
export const hired = toCandidate({ type: 'CandidateHired', data: candidateFacts }, by);
export const rejected = toCandidate({ type: 'CandidateRejected', data: candidateFacts }, by);
export const shortlisted = (isShortlisted: boolean) =>
  toCandidate({ type: 'CandidateShortlistChanged', data: { ...candidateFacts, isShortlisted } }, by);

/** The events that bring a candidate to a status. */
export const historyOf: Readonly<Record<CandidateOfficeStatus, readonly Fact[]>> = {
  applied: [applied],
  scheduled: [applied, scheduled],
  interviewed: [applied, scheduled, held],
  hired: [applied, scheduled, held, hired],
  rejected: [applied, scheduled, held, rejected],
};
