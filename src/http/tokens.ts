import { createSecretKey } from 'node:crypto';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyOptions,
} from 'jose';
import { Type } from '../schema/typebox.ts';
import type { User } from '../access/access.ts';
import { unavailable } from '../errors/domain-error.ts';
import { boundedText } from '../lib/bounded-text.ts';
import { unauthorized } from './http-error.ts';
import { Identifier, nullable } from '../schema/schema.ts';
import { checker } from '../schema/validation.ts';

/** How bearer tokens are verified (decisions, Credentials). */
export type TokenSettings = (
  { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'jwks'; readonly url: URL }
) & {
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  /** A token without `exp` is refused. */
  readonly mustExpire?: boolean;
};

/** Claims that the service does not read are not checked. */
const checkClaims = checker(
  Type.Object({
    sub: Identifier,
    professional_id: Type.Optional(nullable(Identifier)),
    office_id: Type.Optional(nullable(Identifier)),
    roles: Type.Optional(Type.Array(Type.String())),
  }),
  'token',
);

/** Tokens are verified and key sets fetched again after this long: a withdrawn key works at most twice as long. */
const MAX_TRUSTED_MS = 5 * 60_000;

/**
 * A user, until when the token is trusted without another look (milliseconds of this process, since the clock may be
 * set back), and its `exp`, Infinity without one (milliseconds since 1970).
 */
export interface Verified {
  readonly user: User;
  readonly until: number;
  readonly expiresAt: number;
}
export type VerifyToken = (authorization: string) => Promise<Verified | undefined>;

/**
 * Makes the function that finds the user of an `Authorization` header; undefined for an empty one. It throws an
 * HttpError 401 for an invalid token, and a DomainError while the key set cannot be fetched.
 */
export const createTokenVerifier = (settings: TokenSettings): VerifyToken => {
  const verify = verifierOf(settings);

  return async (authorization) => {
    if (authorization === '') return undefined;
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw unauthorized('The header Authorization must be: Bearer <token>');
    const payload = await verify(token).catch((error: unknown) => {
      if (isOutOfReach(error)) throw unavailable('Bearer tokens cannot be checked now', RETRY_SECONDS);
      throw unauthorized('The bearer token is not valid, or no longer', 'Bearer error="invalid_token"');
    });
    const claims = checkClaims(payload);
    if (!claims.ok)
      throw unauthorized(`The bearer token is not usable: ${claims.message}`, 'Bearer error="invalid_token"');
    const { sub, professional_id, office_id, roles = [] } = claims.value;
    const user = {
      id: sub,
      professionalId: professional_id ?? undefined,
      officeId: office_id ?? undefined,
      isAdmin: roles.includes('admin'),
      isAnalyst: roles.includes('analyst'),
    };
    const expiresAt = (payload.exp ?? Infinity) * 1_000;
    const until = performance.now() + Math.min(expiresAt - Date.now(), MAX_TRUSTED_MS);
    return { user, until, expiresAt };
  };
};

const RETRY_SECONDS = 5;
const OUT_OF_REACH: readonly string[] = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];

class KeysOutOfReach extends Error {}

/** Whether the key set was out of reach; other failures are the token's, such as a key too short for its algorithm. */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof KeysOutOfReach || (error instanceof errors.JOSEError && OUT_OF_REACH.includes(error.code));

/** Many keys have less; what is longer is no set of keys. */
const MAX_KEYS_BYTES = 1_048_576;

const fetchKeys: FetchImplementation = async (url, options) => {
  try {
    const response = await fetch(url, options);
    return new Response(await boundedText(response, MAX_KEYS_BYTES), { status: response.status });
  } catch (error) {
    // jose recognizes its own timeout by this name.
    if (error instanceof Error && error.name === 'TimeoutError') throw error;
    throw new KeysOutOfReach('The set of keys could not be fetched', { cause: error });
  }
};

/** How far the clock has moved beside the time of this process. */
const clockOffset = (): number => Date.now() - performance.now();
/** Larger than what a clock is adjusted by while it runs. */
const MAX_OFFSET_MS = 10_000;

/**
 * The key set of an address, forgotten when the clock was set: jose reckons by the clock, and would neither let go of
 * keys nor fetch new ones until a clock that was set back has come to the same time again.
 */
const remoteKeys = (url: URL) => {
  const begin = () =>
    ({
      keys: createRemoteJWKSet(url, { cacheMaxAge: MAX_TRUSTED_MS, [customFetch]: fetchKeys }),
      offset: clockOffset(),
    }) as const;
  let current = begin();
  return () => {
    if (Math.abs(clockOffset() - current.offset) > MAX_OFFSET_MS) current = begin();
    return current.keys;
  };
};

const verifierOf = (settings: TokenSettings): ((token: string) => Promise<JWTPayload>) => {
  const { issuer, audience, mustExpire = false } = settings;
  const options: JWTVerifyOptions = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    ...(mustExpire ? { requiredClaims: ['exp'] } : {}),
  };
  switch (settings.kind) {
    case 'secret': {
      const secret = createSecretKey(settings.secret, 'utf8');
      return async (token) => (await jwtVerify(token, secret, { ...options, algorithms: ['HS256'] })).payload;
    }
    case 'jwks': {
      const keysNow = remoteKeys(settings.url);
      const algorithms = ['RS256', 'ES256', 'EdDSA'];
      return async (token) => (await jwtVerify(token, keysNow(), { ...options, algorithms })).payload;
    }
  }
};
