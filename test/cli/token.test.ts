import { expect } from 'chai';
import { signToken } from '../../src/cli/token.ts';
import { createTokenVerifier, type TokenSettings } from '../../src/http/tokens.ts';

const settings: TokenSettings = { kind: 'secret', secret: 'a secret of this test, of thirty-two bytes or more' };
const strict: TokenSettings = { ...settings, issuer: 'https://login.example.com', audience: 'hiring' };
const renamed: TokenSettings = {
  ...settings,
  claims: { roles: 'https://example.com/roles', professional: 'https://example.com/professional', office: 'o' },
};
const claims = { sub: 'ann', professional_id: 'professional-of-ann', roles: ['admin'] };

describe('A token of hiring token', () => {
  for (const [what, own] of [
    ['with a secret alone', settings],
    ['that asks for an issuer and an audience', strict],
    ['with claims of other names', renamed],
  ] as const)
    it(`is valid at a service ${what}`, async () => {
      const token = await signToken(own, claims, 1);
      expect((await createTokenVerifier(own)(`Bearer ${token}`))?.user).to.deep.include({
        id: 'ann',
        professionalId: 'professional-of-ann',
        isAdmin: true,
      });
    });
});
