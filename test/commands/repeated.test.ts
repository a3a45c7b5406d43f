import { expect } from 'chai';
import fc from 'fast-check';
import { applyToPosting } from '../../commands/candidates/apply-to-posting.ts';
import { changeCandidate } from '../../commands/candidates/change-candidate.ts';
import { commands } from '../../commands/index.ts';
import { recordOffice } from '../../commands/offices/record-office.ts';
import { closePosting } from '../../commands/postings/close-posting.ts';
import { recordPosting } from '../../commands/postings/record-posting.ts';
import { recordProfessional } from '../../commands/professionals/record-professional.ts';
import { updateOnboardingStatus } from '../../commands/professionals/update-onboarding-status.ts';
import { postReview } from '../../commands/reviews/post-review.ts';
import { savePosting } from '../../commands/saved-postings/save-posting.ts';
import { unsavePosting } from '../../commands/saved-postings/unsave-posting.ts';
import { recordSpecialty } from '../../commands/specialties/record-specialty.ts';
import { reorderProcedures } from '../../commands/specialties/reorder-procedures.ts';
import { setJobNotificationSettings } from '../../commands/users/set-job-notification-settings.ts';
import { includePersonalData } from '../../commands/webhooks/include-personal-data.ts';
import { decides, type Situation } from './deciding.ts';
import * as inputs from './inputs.ts';

const decisions = [
  decides(applyToPosting, inputs.applications),
  decides(changeCandidate, inputs.candidateChanges),
  decides(recordOffice, inputs.offices),
  decides(recordPosting, inputs.postings),
  decides(closePosting, inputs.closings),
  decides(recordProfessional, inputs.professionals),
  decides(updateOnboardingStatus, inputs.onboardingSteps),
  decides(postReview, inputs.reviews),
  decides(savePosting, inputs.listActs),
  decides(unsavePosting, inputs.listActs),
  decides(recordSpecialty, inputs.specialties),
  decides(reorderProcedures, inputs.procedureOrders),
  decides(setJobNotificationSettings, inputs.settings),
  decides(includePersonalData, inputs.personalDataSettings),
];

/**
 * These commands differ the second time by design: every request for a code makes a new one, every answer counts as an
 * attempt, and a token works once. The examples of each command show what they promise instead.
 */
const oneTime = ['issuePhoneCode', 'startMfaFlow', 'verifyPhoneCode', 'answerMfaChallenge', 'updatePhoneNumber'];

/** Each of these asks for something new; a webhook that was deleted is not found again. */
const ofWebhooks = ['subscribeWebhook', 'unsubscribeWebhook', 'rotateWebhookSecret', 'replayWebhook'];

describe('a decision made again on the state after it', () => {
  it('is looked at for every command but those of the one-time codes and of webhooks', () => {
    const lookedAt = decisions.map(({ name }) => name);
    const names = commands.map(({ name }) => name);
    expect([...lookedAt, ...oneTime, ...ofWebhooks].sort()).to.deep.equal(names.sort());
  });

  for (const { name, situations } of decisions)
    it(`yields no events: ${name}`, () => {
      let changes = 0;
      fc.assert(
        fc.property(situations, ({ first, second }: Situation) => {
          if (first.length > 0) changes++;
          expect(second()).to.deep.equal([]);
        }),
      );
      expect(changes, 'situations in which the first decision changed something').to.be.greaterThan(0);
    });
});
