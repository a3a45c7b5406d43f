import { changeCandidate } from '../../../commands/candidates/change-candidate.ts';
import type { DomainErrorReason } from '../../../src/errors/domain-error.ts';
import { officeStatuses, type CandidateOfficeStatus } from '../../../src/schema/vocabulary.ts';
import { candidateIds, ids, times } from '../../support/examples.ts';
import { given, noContent } from '../../support/given.ts';
import { candidateFacts, postingClosed, postingKnown, toCandidate } from '../known.ts';
import { cancelled, held, hired, historyOf, rejected } from './histories.ts';

const moveTo = (officeStatus: CandidateOfficeStatus) => ({
  as: 'office' as const,
  params: { postingId: ids.posting, candidateId: candidateIds.professional },
  body: { officeStatus, ...(officeStatus === 'scheduled' ? { interviewAt: times.interview } : {}) },
});
const newInterview = { ...candidateFacts, interviewId: 'minted-1' };
const scheduledAnew = toCandidate({
  type: 'InterviewScheduled',
  data: { ...newInterview, interviewAt: times.interview },
});
const heldAtOnce = toCandidate({ type: 'InterviewHeld', data: newInterview });

const same = 'same';
const refused = 'refused';

/** The table of the decisions, Candidate states: rows are the current status, columns the requested one. */
const table = {
  applied: { applied: same, scheduled: scheduledAnew, interviewed: heldAtOnce, hired, rejected },
  scheduled: { applied: cancelled, scheduled: same, interviewed: held, hired, rejected },
  interviewed: { applied: refused, scheduled: scheduledAnew, interviewed: same, hired, rejected },
  hired: { applied: refused, scheduled: refused, interviewed: refused, hired: same, rejected: refused },
  rejected: { applied: refused, scheduled: refused, interviewed: refused, hired: refused, rejected: same },
} as const;

/** Of a move after the posting closed. */
const whyNot = (from: CandidateOfficeStatus, to: CandidateOfficeStatus): readonly [DomainErrorReason, string] =>
  from === 'hired' || from === 'rejected'
    ? ['conflict', `A candidate who is ${from} cannot become ${to}`]
    : ['candidate-closed', 'The posting is closed, and so is the candidate'];

for (const from of officeStatuses)
  for (const to of officeStatuses) {
    const expected = table[from][to];
    const before = [postingKnown, ...historyOf[from]];

    describe(`changeCandidate from ${from} to ${to}`, () => {
      if (expected === same) {
        it('is a success that appends nothing', () =>
          given(...before)
            .when(changeCandidate, moveTo(to))
            .thenNothing());
        it('is the same after the posting closed', () =>
          given(...before, postingClosed)
            .when(changeCandidate, moveTo(to))
            .thenNothing());
        return;
      }
      if (expected === refused)
        it('is refused', () =>
          given(...before)
            .when(changeCandidate, moveTo(to))
            .thenRefused('conflict', `A candidate who is ${from} cannot become ${to}`));
      else
        it(`appends ${expected.type}`, () =>
          given(...before)
            .when(changeCandidate, moveTo(to))
            .then([expected], noContent));

      it('is refused after the posting closed', () =>
        given(...before, postingClosed)
          .when(changeCandidate, moveTo(to))
          .thenRefused(...whyNot(from, to)));
    });
  }
