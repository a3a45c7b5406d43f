import { changeCandidate } from '../../../commands/candidates/change-candidate.ts';
import { candidateIds, ids, times } from '../../support/examples.ts';
import { given, noContent } from '../../support/given.ts';
import { applied, candidateFacts, postingClosed, postingKnown, toCandidate } from '../known.ts';
import { cancelled, held, moved, scheduled } from './histories.ts';

const params = { postingId: ids.posting, candidateId: candidateIds.professional };
const scheduleAt = (interviewAt: string) => ({
  as: 'office' as const,
  params,
  body: { officeStatus: 'scheduled', interviewAt },
});
const scheduledWith = (interviewId: string, interviewAt: string) =>
  toCandidate({ type: 'InterviewScheduled', data: { ...candidateFacts, interviewId, interviewAt } });
const movedTo = (interviewAt: string) =>
  toCandidate({ type: 'InterviewMoved', data: { ...candidateFacts, interviewId: 'interview-1', interviewAt } });

describe('changeCandidate with an interview', () => {
  it('keeps the time in UTC with milliseconds, whatever offset it came in', () =>
    given(postingKnown, applied)
      .when(changeCandidate, scheduleAt('2026-03-10T10:00:00-05:00'))
      .then([scheduledWith('minted-1', '2026-03-10T15:00:00.000Z')], noContent));

  for (const sameTime of ['2026-03-10T15:00:00Z', '2026-03-10T10:00:00-05:00', '2026-03-10t20:30:00.0004+05:30'])
    it(`appends nothing for ${sameTime}, the time that the interview has`, () =>
      given(postingKnown, applied, scheduled).when(changeCandidate, scheduleAt(sameTime)).thenNothing());

  it('moves it to another time; it stays the same interview', () =>
    given(postingKnown, applied, scheduled)
      .when(changeCandidate, scheduleAt(times.otherInterview))
      .then([movedTo(times.otherInterview)], noContent));

  it('compares with the time that it was moved to', () =>
    given(postingKnown, applied, scheduled, moved)
      .when(changeCandidate, scheduleAt(times.otherInterview))
      .thenNothing());

  it('moves it back', () =>
    given(postingKnown, applied, scheduled, moved)
      .when(changeCandidate, scheduleAt(times.interview))
      .then([movedTo(times.interview)], noContent));

  it('holds the interview that was moved', () =>
    given(postingKnown, applied, scheduled, moved)
      .when(changeCandidate, { as: 'office', params, body: { officeStatus: 'interviewed' } })
      .then([held], noContent));

  it('is a new interview after a cancellation, at the same time too', () =>
    given(postingKnown, applied, scheduled, cancelled)
      .when(changeCandidate, scheduleAt(times.interview))
      .then([scheduledWith('minted-1', times.interview)], noContent));

  it('holds an interview at once after a cancellation, and it is a new one', () =>
    given(postingKnown, applied, scheduled, cancelled)
      .when(changeCandidate, { as: 'office', params, body: { officeStatus: 'interviewed' } })
      .then([toCandidate({ type: 'InterviewHeld', data: { ...candidateFacts, interviewId: 'minted-1' } })], noContent));

  it('cannot be moved after the posting closed', () =>
    given(postingKnown, applied, scheduled, postingClosed)
      .when(changeCandidate, scheduleAt(times.otherInterview))
      .thenRefused('candidate-closed', 'The posting is closed, and so is the candidate'));

  it('is as it is already after the posting closed, in another offset too', () =>
    given(postingKnown, applied, scheduled, postingClosed)
      .when(changeCandidate, scheduleAt('2026-03-10T10:00:00-05:00'))
      .thenNothing());

  for (const noTime of ['tomorrow', '2026-03-10', '2026-03-10T15:00', '2026-02-30T15:00:00Z', '2026-03-10T24:00:00Z'])
    it(`refuses ${noTime} as its time`, () =>
      given(postingKnown, applied)
        .when(changeCandidate, scheduleAt(noTime))
        .thenRefused('invalid', 'body/interviewAt must be an RFC 3339 date-time, like 2026-03-01T09:30:00Z'));
});
