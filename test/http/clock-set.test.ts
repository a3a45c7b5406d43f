import { expect } from 'chai';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { createRateLimitCheck } from '../../src/http/rate-limit.ts';
import { createTokenVerifier } from '../../src/http/tokens.ts';
import type { Context } from '../../src/http/edge/context.ts';
import { claims, ids } from '../support/examples.ts';
import { bearer, startCheckedService } from './checked-service.ts';
import { setClock } from '../support/set-clock.ts';
import { jwtSecret, tokenFor } from '../support/service.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const DAY_MS = 24 * 3_600_000;

describe('A clock that is set while the service runs', () => {
  let right: () => void = () => undefined;
  let by = 0;
  beforeEach(() => {
    by = 0;
    right = setClock(() => by);
  });
  afterEach(() => right());

  it('leaves a token trusted that was verified before, also where it is set after the token’s end', async () => {
    const service = await startCheckedService();
    const headers = await bearer(claims.professional);
    const look = async () => (await service.send('GET', '/postings/saved', { headers })).status;
    const first = await look();
    by = DAY_MS;
    const second = await look();
    await service.stop();
    expect([first, second]).to.deep.equal([200, 200]);
  });

  it('does not change for how long a verified token is trusted', async () => {
    const verify = createTokenVerifier({ kind: 'secret', secret: jwtSecret });
    const verified = await verify(`Bearer ${await tokenFor(claims.professional)}`);
    const left = (verified?.until ?? 0) - performance.now();
    expect(left).to.be.within(4 * 60_000, 5 * 60_000);
  });

  it('leaves no limit for longer than its window, and has the old one end in its time', async () => {
    // Given a user over a limit of one request in 0.2 s, by a clock that is a day ahead
    by = DAY_MS;
    const limit = createRateLimitCheck('caller', { perSecond: 5, burst: 1 });
    const headers = new Map<string, unknown>();
    const ctx = { res: { setHeader: (name: string, value: unknown) => headers.set(name, value) } };
    const ask = () => limit(ctx as unknown as Context, 'a user');
    const isRefused = () =>
      ask().then(
        () => false,
        () => true,
      );
    for (let count = 0; count < 5; count++) await ask();
    expect(await isRefused()).to.equal(true);

    // When it is set right
    by = 0;
    const refused = await isRefused();

    // Then the user need not wait for a day
    expect({ refused, reset: headers.get('RateLimit-Reset') }).to.deep.equal({ refused: true, reset: 1 });
  });

  describe('and a set of keys', () => {
    const served: { keys: object[] } = { keys: [] };
    let signing: CryptoKey;
    const server = createServer((_request, response) => response.end(JSON.stringify(served)));
    before(async () => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });

    const publish = async (kid: string) => {
      const { publicKey, privateKey } = await generateKeyPair('ES256');
      signing = privateKey;
      served.keys = [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256' }];
    };
    const tokenBy = (kid: string) =>
      new SignJWT({ ...claims.professional })
        .setProtectedHeader({ alg: 'ES256', kid })
        .setExpirationTime('1h')
        .sign(signing);

    it('that was fetched by a clock a day ahead is fetched again when that is set right', async () => {
      // Given keys fetched by a clock that is a day ahead
      const { port } = server.address() as AddressInfo;
      const verify = createTokenVerifier({ kind: 'jwks', url: new URL(`http://127.0.0.1:${port}/`) });
      by = DAY_MS;
      await publish('first');
      expect((await verify(`Bearer ${await tokenBy('first')}`))?.user.id).to.equal(ids.user);

      // When it is set right, and the issuer takes another key
      by = 0;
      const old = await tokenBy('first');
      await publish('second');

      // Then the new key counts, and the old one no more
      expect((await verify(`Bearer ${await tokenBy('second')}`))?.user.id).to.equal(ids.user);
      const refused = await rejectionOf(verify(`Bearer ${old}`));
      expect(refused).to.have.property('message', 'The key of the bearer token is not known yet');
    });
  });
});
