import { expect } from 'chai';
import { SignJWT, UnsecuredJWT } from 'jose';
import { claims, apiKeys } from '../support/examples.ts';
import { jwtSecret, tokenFor } from '../support/service.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { operations, requestOf } from './operations.ts';
import { putFacts, putSpecialty, unchanged } from './stories.ts';

const secret = Buffer.from(jwtSecret);
const signed = (payload: Record<string, unknown>, alg = 'HS256', key: Uint8Array = secret) =>
  new SignJWT(payload).setProtectedHeader({ alg }).setExpirationTime('1h').sign(key);

describe('Credentials', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
    await putSpecialty(service);
  });
  after(() => service.stop());

  for (const operation of operations) {
    const { name, method, path, as, notAs } = operation;
    describe(`of ${name}`, () => {
      it('are a 401 without an API key', () =>
        unchanged(service, async () => {
          expectError(await service.send(method, path, { ...requestOf(operation), key: null }), 401, /X-API-Key/);
        }));
      it('are a 401 with an unknown API key', () =>
        unchanged(service, async () => {
          expectError(await service.send(method, path, { ...requestOf(operation), key: 'another' }), 401, /X-API-Key/);
        }));
      it('are a 403 with an API key of the other scope', () =>
        unchanged(service, async () => {
          const key = as === undefined ? apiKeys.client : apiKeys.internal;
          expectError(await service.send(method, path, { ...requestOf(operation), key }), 403, /scope/);
        }));
      if (as !== undefined) {
        it('are a 401 without a bearer token', () =>
          unchanged(service, async () => {
            const { body } = requestOf(operation);
            expectError(await service.send(method, path, body ? { body } : {}), 401, /Authorization/);
          }));
        it('are a 401 with a bad bearer token', () =>
          unchanged(service, async () => {
            const headers = { Authorization: 'Bearer e30.e30.e30' };
            expectError(await service.send(method, path, { ...requestOf(operation), headers }), 401, /token/);
          }));
      }
      if (notAs !== undefined)
        it('are a 403 with a token that lacks the claim', () =>
          unchanged(service, async () => {
            const { body } = requestOf(operation);
            const answer = await service.send(method, path, { as: notAs, ...(body ? { body } : {}) });
            expectError(answer, 403, /professional_id|office_id|admin/);
          }));
    });
  }

  describe('of a user', () => {
    const path = '/postings/saved';
    const seconds = () => Math.floor(Date.now() / 1_000);
    const ann = claims.professional;
    const refused: readonly [string, () => string | Promise<string>][] = [
      ['no scheme', () => signed({ ...ann })],
      ['another scheme', () => 'Basic YW5uOnB3'],
      ['an empty token', () => 'Bearer '],
      ['a token that is no JWT', () => 'Bearer nonsense'],
      ['a token in two parts', async () => `Bearer ${(await signed({ ...ann })).split('.').slice(0, 2).join('.')}`],
      ['two tokens', async () => `Bearer ${await signed({ ...ann })} ${await signed({ ...ann })}`],
      ['an expired token', async () => `Bearer ${await tokenFor({ ...ann }, seconds() - 1)}`],
      ['a token that is not valid yet', async () => `Bearer ${await tokenFor({ ...ann, nbf: seconds() + 600 })}`],
      ['a token of another algorithm', async () => `Bearer ${await signed({ ...ann }, 'HS512')}`],
      ['an unsigned token', () => `Bearer ${new UnsecuredJWT({ ...ann }).setExpirationTime('1h').encode()}`],
      [
        'a token of another signature',
        async () => `Bearer ${await signed({ ...ann }, 'HS256', Buffer.from('f'.repeat(40)))}`,
      ],
      [
        'a changed token',
        async () =>
          `Bearer ${(await signed({ ...ann })).replace(/\.[^.]+\./, `.${Buffer.from(JSON.stringify(claims.admin)).toString('base64url')}.`)}`,
      ],
      ['a token without sub', async () => `Bearer ${await signed({ professional_id: ann.professional_id })}`],
      ['a sub that is no identifier', async () => `Bearer ${await signed({ ...ann, sub: 'a b' })}`],
      ['a sub that is no text', async () => `Bearer ${await signed({ ...ann, sub: 7 })}`],
      [
        'a professional_id that is no identifier',
        async () => `Bearer ${await signed({ ...ann, professional_id: '..' })}`,
      ],
      ['roles that are no list', async () => `Bearer ${await signed({ ...ann, roles: 'admin' })}`],
    ];
    for (const [fault, header] of refused)
      it(`are a 401 with ${fault}`, async () => {
        const answer = await service.send('GET', path, { headers: { Authorization: await header() } });
        expectError(answer, 401, /Authorization|token/);
        expect(answer.headers.get('WWW-Authenticate')).to.match(/^Bearer/);
      });

    it('are a 403, like those without the claim, where professional_id is null', async () => {
      const token = await signed({ sub: ann.sub, professional_id: null });
      const answer = await service.send('GET', path, { headers: { Authorization: `Bearer ${token}` } });
      expectError(answer, 403, /professional_id/);
    });

    it('are taken whatever the case of the scheme', async () => {
      const answer = await service.send('GET', path, {
        headers: { Authorization: `bearer ${await signed({ ...ann })}` },
      });
      expect(answer.status).to.equal(200);
    });

    it('stop counting when the token expires, though it was taken before', async () => {
      const expires = Math.floor(Date.now() / 1_000) + 2;
      const headers = { Authorization: `Bearer ${await tokenFor({ ...ann }, expires)}` };
      expect((await service.send('GET', path, { headers })).status).to.equal(200);
      let status = 200;
      while (status === 200) ({ status } = await service.send('GET', path, { headers }));
      expect(status).to.equal(401);
      expect(Date.now()).to.be.at.least(expires * 1_000);
    });
  });

  it('of a user are not looked at by internal operations', async () => {
    const path = '/internal/professionals/professional-ann';
    const answer = await service.send('GET', path, { headers: { Authorization: 'Bearer nonsense' } });
    expect(answer.status).to.equal(200);
  });

  it('are looked at before the rest of the request', async () => {
    expectError(await service.send('POST', '/professionals/postings/save', { key: null, body: '{' }), 401, /X-API-Key/);
  });
});
