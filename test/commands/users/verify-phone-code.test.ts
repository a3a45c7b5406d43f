import { verifyPhoneCode } from '../../../commands/users/verify-phone-code.ts';
import { secrets } from '../../support/sending.ts';
import { answersAsDecided } from './answering.ts';

describe('verifyPhoneCode', () => {
  answersAsDecided(
    verifyPhoneCode,
    'sms',
    (codeId) => ({ codeId }),
    (codeId, expiresAt) => ({ status: 200, body: { requestToken: secrets.tokenOf(codeId), expiresAt } }),
  );
});
