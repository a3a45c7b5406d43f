import { changeCandidate } from '../../../commands/candidates/change-candidate.ts';
import { bodies, candidateIds, ids, times, type claims } from '../../support/examples.ts';
import { given, noContent } from '../../support/given.ts';
import { on } from '../../support/facts.ts';
import { postingDecider } from '../../../src/domain/posting.ts';
import { applied, candidateFacts, postingClosed, postingKnown, toCandidate } from '../known.ts';
import { hired, moved, scheduled, shortlisted } from './histories.ts';

const params = { postingId: ids.posting, candidateId: candidateIds.professional };
const patch = (body: object, as: keyof typeof claims = 'office') => ({ as, params, body });
const scheduledAnew = toCandidate({
  type: 'InterviewScheduled',
  data: { ...candidateFacts, interviewId: 'minted-1', interviewAt: times.interview },
});

describe('changeCandidate', () => {
  describe('with a shortlist', () => {
    it('puts a candidate on it', () =>
      given(postingKnown, applied)
        .when(changeCandidate, patch({ isShortlisted: true }))
        .then([shortlisted(true)], noContent));

    it('takes a candidate off it', () =>
      given(postingKnown, applied, shortlisted(true))
        .when(changeCandidate, patch({ isShortlisted: false }))
        .then([shortlisted(false)], noContent));

    it('appends nothing for a candidate who was never on it', () =>
      given(postingKnown, applied)
        .when(changeCandidate, patch({ isShortlisted: false }))
        .thenNothing());

    it('appends nothing for a candidate who is on it', () =>
      given(postingKnown, applied, shortlisted(true))
        .when(changeCandidate, patch({ isShortlisted: true }))
        .thenNothing());

    it('is independent of the state: a hired candidate can come on it', () =>
      given(postingKnown, applied, hired)
        .when(changeCandidate, patch({ isShortlisted: true }))
        .then([shortlisted(true)], noContent));

    it('is independent of the state: it changes after the posting closed too', () =>
      given(postingKnown, applied, postingClosed)
        .when(changeCandidate, patch({ isShortlisted: true }))
        .then([shortlisted(true)], noContent));

    it('survives a move', () =>
      given(postingKnown, applied, shortlisted(true), hired)
        .when(changeCandidate, patch({ isShortlisted: true }))
        .thenNothing());
  });

  describe('with a shortlist and a move in one', () => {
    const both = { officeStatus: 'scheduled', interviewAt: times.interview, isShortlisted: true };

    it('appends both', () =>
      given(postingKnown, applied)
        .when(changeCandidate, patch(both))
        .then([scheduledAnew, shortlisted(true)], noContent));

    it('appends nothing when both are so already', () =>
      given(postingKnown, applied, scheduled, shortlisted(true)).when(changeCandidate, patch(both)).thenNothing());

    it('appends the shortlist alone when the state is so already', () =>
      given(postingKnown, applied, scheduled)
        .when(changeCandidate, patch(both))
        .then([shortlisted(true)], noContent));

    it('appends neither when the move is not allowed', () =>
      given(postingKnown, applied, hired)
        .when(changeCandidate, patch(both))
        .thenRefused('conflict', 'A candidate who is hired cannot become scheduled'));
  });

  it('lets an administrator do the same', () =>
    given(postingKnown, applied)
      .when(changeCandidate, patch({ isShortlisted: true }, 'admin'))
      .then([shortlisted(true)], noContent));

  it('lets an administrator who has another office do the same', () =>
    given(postingKnown, applied)
      .when(changeCandidate, patch({ isShortlisted: true }, 'adminWithOffice'))
      .then([shortlisted(true)], noContent));

  for (const body of [{}, { officeStatus: null, isShortlisted: null }])
    it(`refuses ${JSON.stringify(body)}, which changes nothing`, () =>
      given(postingKnown, applied)
        .when(changeCandidate, patch(body))
        .thenRefused('invalid', 'body must have officeStatus or isShortlisted, or both'));

  for (const body of [
    { officeStatus: 'scheduled' },
    { officeStatus: 'interviewed', interviewAt: times.interview },
    { isShortlisted: true, interviewAt: times.interview },
  ])
    it(`refuses ${JSON.stringify(body)}: a time comes with scheduled, always and only then`, () =>
      given(postingKnown, applied, scheduled, moved)
        .when(changeCandidate, patch(body))
        .thenRefused('invalid', 'body/interviewAt must come with officeStatus scheduled, and only then'));

  it('refuses an unknown status', () =>
    given(postingKnown, applied)
      .when(changeCandidate, patch({ officeStatus: 'closed' }))
      .thenRefused('invalid', 'body/officeStatus must be one of applied, scheduled, interviewed, hired, rejected'));

  it("refuses another office's posting", () =>
    given(postingKnown, applied)
      .when(changeCandidate, patch({ isShortlisted: true }, 'otherOffice'))
      .thenRefused('forbidden', "The posting is not the office's"));

  it("answers an office with an unknown posting as with another office's", () =>
    given()
      .when(changeCandidate, patch({ isShortlisted: true }))
      .thenRefused('forbidden', "The posting is not the office's"));

  it('tells an administrator that a posting is not known', () =>
    given()
      .when(changeCandidate, patch({ isShortlisted: true }, 'admin'))
      .thenRefused('not-found', 'No posting has the id in path/postingId'));

  it('refuses a candidate who is not known', () =>
    given(postingKnown)
      .when(changeCandidate, patch({ isShortlisted: true }))
      .thenRefused('not-found', 'The posting has no candidate with the id in path/candidateId'));

  it("refuses a candidate of another of the office's postings", () =>
    given(
      applied,
      postingKnown,
      on(
        postingDecider,
        ids.otherPosting,
      )({ type: 'PostingRecorded', data: { postingId: ids.otherPosting, ...bodies.posting } }),
    )
      .when(changeCandidate, {
        as: 'office',
        params: { ...params, postingId: ids.otherPosting },
        body: { isShortlisted: true },
      })
      .thenRefused('not-found', 'The posting has no candidate with the id in path/candidateId'));

  it('refuses a user who is neither an office nor an administrator', () =>
    given(postingKnown, applied)
      .when(changeCandidate, patch({ isShortlisted: true }, 'professional'))
      .thenRefused('forbidden', 'The token names no office_id and no role admin'));
});
