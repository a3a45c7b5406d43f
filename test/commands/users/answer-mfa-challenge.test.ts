import { answerMfaChallenge } from '../../../commands/users/answer-mfa-challenge.ts';
import { secrets } from '../../support/sending.ts';
import { answersAsDecided } from './answering.ts';

describe('answerMfaChallenge', () => {
  answersAsDecided(
    answerMfaChallenge,
    'mail',
    (flowId) => ({ flowId }),
    (flowId, expiresAt) => ({ status: 200, body: { token: secrets.tokenOf(flowId), expiresAt } }),
  );
});
