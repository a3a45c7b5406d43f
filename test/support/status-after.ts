/** The status of an application after an event of each type that changes it. */
export const statusAfter: Readonly<Record<string, string>> = {
  CandidateApplied: 'applied',
  InterviewScheduled: 'scheduled',
  InterviewCancelled: 'applied',
  InterviewHeld: 'interviewed',
  CandidateHired: 'hired',
  CandidateRejected: 'rejected',
};
