import type { Command } from '../src/application/command.ts';
import { applyToPosting } from './candidates/apply-to-posting.ts';
import { changeCandidate } from './candidates/change-candidate.ts';
import { recordOffice } from './offices/record-office.ts';
import { closePosting } from './postings/close-posting.ts';
import { recordPosting } from './postings/record-posting.ts';
import { recordProfessional } from './professionals/record-professional.ts';
import { updateOnboardingStatus } from './professionals/update-onboarding-status.ts';
import { postReview } from './reviews/post-review.ts';
import { savePosting } from './saved-postings/save-posting.ts';
import { unsavePosting } from './saved-postings/unsave-posting.ts';
import { recordSpecialty } from './specialties/record-specialty.ts';
import { reorderProcedures } from './specialties/reorder-procedures.ts';
import { answerMfaChallenge } from './users/answer-mfa-challenge.ts';
import { issuePhoneCode } from './users/issue-phone-code.ts';
import { setJobNotificationSettings } from './users/set-job-notification-settings.ts';
import { startMfaFlow } from './users/start-mfa-flow.ts';
import { updatePhoneNumber } from './users/update-phone-number.ts';
import { verifyPhoneCode } from './users/verify-phone-code.ts';
import { includePersonalData } from './webhooks/include-personal-data.ts';
import { replayWebhook } from './webhooks/replay-webhook.ts';
import { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { subscribeWebhook } from './webhooks/subscribe-webhook.ts';
import { unsubscribeWebhook } from './webhooks/unsubscribe-webhook.ts';

/** Every command; each is a route of the service. */
export const commands: readonly Command[] = [
  updatePhoneNumber,
  issuePhoneCode,
  verifyPhoneCode,
  startMfaFlow,
  answerMfaChallenge,
  setJobNotificationSettings,
  savePosting,
  unsavePosting,
  applyToPosting,
  changeCandidate,
  postReview,
  reorderProcedures,
  updateOnboardingStatus,
  recordOffice,
  recordProfessional,
  recordPosting,
  closePosting,
  recordSpecialty,
  subscribeWebhook,
  unsubscribeWebhook,
  rotateWebhookSecret,
  replayWebhook,
  includePersonalData,
];
