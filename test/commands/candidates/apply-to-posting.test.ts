import { applyToPosting } from '../../../commands/candidates/apply-to-posting.ts';
import { candidateDecider } from '../../../src/domain/candidate.ts';
import { bodies, candidateIds, ids } from '../../support/examples.ts';
import { on } from '../../support/facts.ts';
import { given } from '../../support/given.ts';
import { applied, candidateFacts, postingClosed, postingKnown, toCandidate } from '../known.ts';

const apply = { as: 'professional', params: { postingId: ids.posting }, body: bodies.application } as const;
const created = (id: string) => ({ status: 201, body: { id } });
const there = { status: 200, body: { id: candidateIds.professional } };

describe('applyToPosting', () => {
  it('appends the application, under the UUIDv5 of posting and professional', () =>
    given(postingKnown).when(applyToPosting, apply).then([applied], created(candidateIds.professional)));

  it('gives another professional another candidate', () =>
    given(postingKnown, applied)
      .when(applyToPosting, { ...apply, as: 'otherProfessional' })
      .then(
        [
          on(
            candidateDecider,
            candidateIds.otherProfessional,
          )({
            type: 'CandidateApplied',
            data: {
              candidateId: candidateIds.otherProfessional,
              postingId: ids.posting,
              professionalId: ids.otherProfessional,
              resumeId: bodies.application.resumeId,
            },
          }),
        ],
        created(candidateIds.otherProfessional),
      ));

  it('appends nothing the second time, and answers with the same id', () =>
    given(postingKnown, applied).when(applyToPosting, apply).thenNothing(there));

  it('keeps the first resume', () =>
    given(postingKnown, applied)
      .when(applyToPosting, { ...apply, body: { resumeId: 'resume-2' } })
      .thenNothing(there));

  it('answers with the same id after the posting closed', () =>
    given(postingKnown, applied, postingClosed).when(applyToPosting, apply).thenNothing(there));

  it('answers with the same id after a rejection', () =>
    given(postingKnown, applied, toCandidate({ type: 'CandidateRejected', data: candidateFacts }))
      .when(applyToPosting, apply)
      .thenNothing(there));

  it('refuses a closed posting', () =>
    given(postingKnown, postingClosed)
      .when(applyToPosting, apply)
      .thenRefused('posting-closed', 'The posting is closed'));

  it('refuses a posting that closed and was revised since', () =>
    given(postingKnown, postingClosed, postingKnown)
      .when(applyToPosting, apply)
      .thenRefused('posting-closed', 'The posting is closed'));

  it('refuses a posting that is not known', () =>
    given().when(applyToPosting, apply).thenRefused('not-found', 'No posting has the id in path/postingId'));

  it('refuses a user without a professional_id', () =>
    given(postingKnown)
      .when(applyToPosting, { ...apply, as: 'admin' })
      .thenRefused('forbidden', 'The token names no professional_id'));

  it('refuses an application without a resume', () =>
    given(postingKnown)
      .when(applyToPosting, { ...apply, body: { resumeId: null } })
      .thenRefused('invalid', 'body/resumeId is required'));
});
