import { expect } from 'chai';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { claims } from '../support/examples.ts';
import { tokenFor } from '../support/service.ts';
import { startWebServer } from '../support/web-server.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';

const algorithms = ['RS256', 'ES256', 'EdDSA'];
const issuer = 'https://login.example.com';
const audience = 'hiring';

/** RS256 needs 2,048 bits (RFC 7518, 3.3). */
const weakJwk = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' }),
  kid: 'weak',
  alg: 'RS256',
});

describe('Bearer tokens of a JWKS', () => {
  let service: CheckedService;
  let server: Server;
  const keys = new Map<string, CryptoKey>();
  const read = (token: string) =>
    service.send('GET', '/postings/saved', { headers: { Authorization: `Bearer ${token}` } });
  const signed = (alg: string, change: Readonly<Record<string, unknown>> = {}, kid = alg) =>
    new SignJWT({ ...claims.professional, iss: issuer, aud: audience, ...change })
      .setProtectedHeader({ alg, kid })
      .setExpirationTime('1h')
      .sign(keys.get(alg) ?? new Uint8Array(32));

  before(async () => {
    const published: object[] = [weakJwk()];
    for (const alg of [...algorithms, 'PS256']) {
      const { publicKey, privateKey } = await generateKeyPair(alg);
      keys.set(alg, privateKey);
      published.push({ ...(await exportJWK(publicKey)), kid: alg });
    }
    server = createServer((_request, response) => response.end(JSON.stringify({ keys: published }))).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const url = new URL(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/jwks`);
    service = await startCheckedService({ tokens: { kind: 'jwks', url, issuer, audience } });
  });
  after(async () => {
    await service.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  for (const alg of algorithms)
    it(`are taken when signed by ${alg}`, async () => {
      expect((await read(await signed(alg))).status).to.equal(200);
    });

  it('are taken when the audience is one of several', async () => {
    expect((await read(await signed('ES256', { aud: ['other', audience] }))).status).to.equal(200);
  });

  const refused: readonly [string, () => Promise<string>][] = [
    ['another issuer', () => signed('ES256', { iss: 'https://evil.example.com' })],
    ['no issuer', () => signed('ES256', { iss: undefined })],
    ['another audience', () => signed('ES256', { aud: 'other' })],
    ['no audience', () => signed('ES256', { aud: undefined })],
    ['the key of another', () => signed('ES256', {}, 'RS256')],
    ['an algorithm that is not allowed', () => signed('PS256')],
    ['a shared secret', () => tokenFor({ ...claims.professional, iss: issuer, aud: audience })],
  ];
  it('are a 401 with a key that is too short for its algorithm', async () => {
    const token = await signed('RS256', {}, 'weak');
    expectError(await read(token), 401, /not valid/);
  });

  for (const [fault, token] of refused)
    it(`are a 401 with ${fault}`, async () => expectError(await read(await token()), 401, /token/));
});

describe('Bearer tokens of a JWKS with several keys of one algorithm', () => {
  const pairs: Awaited<ReturnType<typeof generateKeyPair>>[] = [];
  let web: Awaited<ReturnType<typeof startWebServer>>;
  let service: CheckedService;
  before(async () => {
    const keys: object[] = [];
    for (let number = 1; number <= 9; number++) {
      const pair = await generateKeyPair('ES256');
      pairs.push(pair);
      keys.push({ ...(await exportJWK(pair.publicKey)), kid: `key-${number}` });
    }
    web = await startWebServer(() => ({ status: 200, body: JSON.stringify({ keys }) }));
  });
  after(() => web.close());
  beforeEach(async () => {
    service = await startCheckedService({
      tokens: { kind: 'jwks', url: new URL(web.url) },
      anonymousRateLimit: { perSecond: 0.002, burst: 2 },
    });
  });
  afterEach(() => service.stop());

  /** The answer to a token that the key of this number has signed. */
  const readWith = async (number: number, header: { readonly kid?: string } = {}) => {
    const token = await new SignJWT({ ...claims.professional })
      .setProtectedHeader({ alg: 'ES256', ...header })
      .setExpirationTime('1h')
      .sign(pairs[number - 1]?.privateKey ?? new Uint8Array(32));
    return service.send('GET', '/postings/saved', { headers: { Authorization: `Bearer ${token}` } });
  };

  it('are taken without a kid by the eighth of them', async () => {
    expect((await readWith(8)).status).to.equal(200);
  });

  it('are a 401 without a kid by the ninth', async () => {
    expectError(await readWith(9), 401, /not valid/);
  });

  it('are taken by the ninth where they name it', async () => {
    expect((await readWith(9, { kid: 'key-9' })).status).to.equal(200);
  });

  it('are a 401 with a kid for which the set has just been fetched', async () => {
    expectError(await readWith(1, { kid: 'unknown' }), 401, /names a key that the set of keys does not have/);
  });

  it('are a 503 with another kid while the set is not fetched again, and count as anonymous requests', async () => {
    expect((await readWith(1)).status).to.equal(200);
    const answer = await readWith(1, { kid: 'unknown' });
    expectError(answer, 503, /key of the bearer token is not known yet/);
    expect(Number(answer.headers.get('Retry-After'))).to.be.within(1, 30);
    expect((await readWith(1, { kid: 'unknown' })).status).to.equal(503);
    expectError(await readWith(1, { kid: 'unknown' }), 429, /Too many requests/);
    expect((await readWith(1)).status).to.equal(200);
  });

  it('are a 401 with a kid that the set has for another key', async () => {
    expect((await readWith(1)).status).to.equal(200);
    expectError(await readWith(1, { kid: 'key-2' }), 401, /not valid/);
  });
});

describe('Bearer tokens of a JWKS that is out of reach', () => {
  /** The answer to a token of a key set at this address. */
  const answerWith = async (url: string) => {
    const { privateKey } = await generateKeyPair('ES256');
    const token = await new SignJWT({ ...claims.professional })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setExpirationTime('1h')
      .sign(privateKey);
    const service = await startCheckedService({ tokens: { kind: 'jwks', url: new URL(url) } });
    const answer = await service.send('GET', '/postings/saved', { headers: { Authorization: `Bearer ${token}` } });
    await service.stop();
    return answer;
  };

  it('are a 503: that says nothing of the token', async () => {
    const web = await startWebServer(() => undefined);
    await web.close();
    const answer = await answerWith(web.url);
    expectError(answer, 503, /cannot be checked now/);
    expect(answer.headers.get('Retry-After')).to.equal('5');
  });

  it('are a 503 where more is answered than a set of keys can have', async () => {
    const web = await startWebServer(() => ({ status: 200, body: 'x'.repeat(65_536), isEndless: true }));
    const answer = await answerWith(web.url);
    await web.close();
    expectError(answer, 503, /cannot be checked now/);
  });
});

describe('Bearer tokens of a shared secret', () => {
  it('must be of the issuer and for the audience where these are configured', async () => {
    const service = await startCheckedService({
      tokens: { kind: 'secret', secret: 'another secret of thirty-two bytes or so', issuer, audience },
    });
    const sign = (more: Readonly<Record<string, unknown>>) =>
      new SignJWT({ ...claims.professional, ...more })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
        .sign(Buffer.from('another secret of thirty-two bytes or so'));
    const statuses: number[] = [];
    for (const more of [
      { iss: issuer, aud: audience },
      { iss: issuer },
      { aud: audience },
      { iss: 'x', aud: audience },
      { iss: issuer, aud: 'x' },
    ]) {
      const headers = { Authorization: `Bearer ${await sign(more)}` };
      statuses.push((await service.send('GET', '/postings/saved', { headers })).status);
    }
    await service.stop();
    expect(statuses).to.deep.equal([200, 401, 401, 401, 401]);
  });
});

describe('Bearer tokens without exp', () => {
  const secret = 'another secret of thirty-two bytes or so';
  for (const [mustExpire, status] of [
    [true, 401],
    [false, 200],
  ] as const)
    it(`are a ${status} where tokens ${mustExpire ? 'must' : 'need not'} expire`, async () => {
      const service = await startCheckedService({ tokens: { kind: 'secret', secret, mustExpire } });
      const token = await new SignJWT({ ...claims.professional })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(Buffer.from(secret));
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await service.send('GET', '/postings/saved', { headers });
      await service.stop();
      expect(answer.status).to.equal(status);
    });
});
