import { createSecretKey } from 'node:crypto';
import {
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyOptions,
} from 'jose';
import { Type, type Static, type TSchema } from '../schema/typebox.ts';
import type { User } from '../access/access.ts';
import { unavailable } from '../errors/domain-error.ts';
import { readBoundedText } from '../lib/bounded-text.ts';
import { HttpError, retryAfterHeader, unauthorized } from './edge/http-error.ts';
import { Identifier, nullable } from '../schema/schema.ts';
import { createValidator } from '../schema/validation.ts';

/** How bearer tokens are verified (decisions, Credentials). */
export type TokenSettings = (
  { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'jwks'; readonly url: URL }
) & {
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  /** A token without `exp` is refused. */
  readonly mustExpire?: boolean;
  readonly claims?: ClaimNames;
};

/** The claims that tell what a user is. Those that the service does not read are not checked. */
export interface ClaimNames {
  readonly roles: string;
  readonly professional: string;
  readonly office: string;
}
export const DEFAULT_CLAIM_NAMES: ClaimNames = { roles: 'roles', professional: 'professional_id', office: 'office_id' };

const INVALID_TOKEN = 'Bearer error="invalid_token"';

/** Reads a claim; null stands for one that is left out. @throws HttpError 401 for a malformed one */
const claimReader = <S extends TSchema>(claim: string, schema: S) => {
  const check = createValidator(schema, `token/${claim}`);
  return (payload: JWTPayload): Static<S> => {
    const checked = check((Object.hasOwn(payload, claim) ? payload[claim] : null) ?? null);
    if (checked.ok) return checked.value;
    throw unauthorized(`The bearer token is not usable: ${checked.message}`, INVALID_TOKEN);
  };
};

/** Tokens are verified and key sets fetched again after this long: a withdrawn key works at most twice as long. */
const MAX_TRUSTED_MS = 5 * 60_000;

/**
 * A user, until when the token is trusted without another look (milliseconds of this process, since the clock may be
 * set back), and its `exp`, Infinity without one (milliseconds since 1970).
 */
interface VerifiedToken {
  readonly user: User;
  readonly until: number;
  readonly expiresAt: number;
}
export type VerifyToken = (authorization: string) => Promise<VerifiedToken | undefined>;

/**
 * Makes the function that finds the user of an `Authorization` header; undefined for an empty one. It throws an
 * HttpError 401 for an invalid token, one of 503 for a key that is not known yet, and a DomainError while the key set
 * cannot be fetched.
 */
export const createTokenVerifier = (settings: TokenSettings): VerifyToken => {
  const verify = verifierOf(settings);
  const names = settings.claims ?? DEFAULT_CLAIM_NAMES;
  const idOf = claimReader('sub', Identifier);
  const rolesOf = claimReader(names.roles, nullable(Type.Array(Type.String())));
  const professionalOf = claimReader(names.professional, nullable(Identifier));
  const officeOf = claimReader(names.office, nullable(Identifier));

  return async (authorization) => {
    if (authorization === '') return undefined;
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw unauthorized('The header Authorization must be: Bearer <token>');
    const payload = await verify(token).catch((error: unknown) => {
      if (error instanceof HttpError) throw error;
      if (isOutOfReach(error)) throw unavailable('Bearer tokens cannot be checked now', RETRY_SECONDS);
      throw unauthorized(
        'The bearer token is not valid, or no longer',
        INVALID_TOKEN,
        explainClaimFailure(error, settings),
      );
    });
    const roles = rolesOf(payload) ?? [];
    const user = {
      id: idOf(payload),
      professionalId: professionalOf(payload) ?? undefined,
      officeId: officeOf(payload) ?? undefined,
      isAdmin: roles.includes('admin'),
      isAnalyst: roles.includes('analyst'),
    };
    const expiresAt = (payload.exp ?? Infinity) * 1_000;
    const until = performance.now() + Math.min(expiresAt - Date.now(), MAX_TRUSTED_MS);
    return { user, until, expiresAt };
  };
};

const MAX_CLAIM_CHARACTERS = 200;

/** A refusal by a claim, with what it is and what is allowed: where a setting is wrong, that refuses everybody. */
const explainClaimFailure = (error: unknown, { issuer, audience }: TokenSettings): unknown => {
  if (!(error instanceof errors.JWTClaimValidationFailed)) return error;
  const { claim, payload } = error;
  const [variable, allowed] =
    claim === 'iss' ? ['JWT_ISSUER', issuer] : claim === 'aud' ? ['JWT_AUDIENCE', audience] : [];
  if (variable === undefined) return error;
  const found = JSON.stringify(payload[claim] ?? null).slice(0, MAX_CLAIM_CHARACTERS);
  return new Error(`its claim ${claim} is ${found}, and ${variable} is ${allowed}`);
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
    return new Response(await readBoundedText(response, MAX_KEYS_BYTES), { status: response.status });
  } catch (error) {
    // jose recognizes its own timeout by this name.
    if (error instanceof Error && error.name === 'TimeoutError') throw error;
    throw new KeysOutOfReach('The set of keys could not be fetched', { cause: error });
  }
};

/** Fetches the key set of an address once. @throws what keeps it from being one, or from being fetched */
export const checkKeySet = (url: URL): Promise<void> => createRemoteJWKSet(url, { [customFetch]: fetchKeys }).reload();

/** How far the clock has moved beside the time of this process. */
const clockOffset = (): number => Date.now() - performance.now();
/** Larger than what a clock is adjusted by while it runs. */
const MAX_OFFSET_MS = 10_000;
/** A key set is not fetched again for a key that it does not have before this. */
const COOLDOWN_MS = 30_000;

/**
 * The key set of an address, forgotten when the clock was set: jose reckons by the clock, and would neither let go of
 * keys nor fetch new ones until a clock that was set back has come to the same time again.
 */
const remoteKeys = (url: URL) => {
  let fetchedAt = -Infinity;
  const begin = () => {
    const keys = createRemoteJWKSet(url, {
      cacheMaxAge: MAX_TRUSTED_MS,
      cooldownDuration: COOLDOWN_MS,
      [customFetch]: (...request) => fetchKeys(...request).finally(() => (fetchedAt = performance.now())),
    });
    return { keys, offset: clockOffset() } as const;
  };
  let current = begin();
  return {
    now() {
      if (Math.abs(clockOffset() - current.offset) > MAX_OFFSET_MS) current = begin();
      return current.keys;
    },
    secondsToNextFetch: () => Math.max(1, Math.ceil((fetchedAt + COOLDOWN_MS - performance.now()) / 1_000)),
  };
};

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

const hasKey = (keys: RemoteKeys, kid: string): boolean => keys.jwks()?.keys.some((key) => key.kid === kid) === true;

/** Keys that are tried for a token that does not name its own. */
const MAX_TRIED_KEYS = 8;

/** Verifies by the keys that fit, one after the other. @throws what failed with the last of them */
const verifyByAny = async (
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  options: JWTVerifyOptions,
): Promise<JWTPayload> => {
  let [tried, failure]: [number, unknown] = [0, keys];
  for await (const key of keys) {
    if (tried++ === MAX_TRIED_KEYS) break;
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
};

/** @throws HttpError 503 for a `kid` that the set does not have, while it may not be fetched again yet */
const verifyByKeys = (url: URL, options: JWTVerifyOptions) => {
  const remote = remoteKeys(url);
  return async (token: string): Promise<JWTPayload> => {
    const keys = remote.now();
    const mayNotFetch = keys.coolingDown;
    try {
      return (await jwtVerify(token, keys, options)).payload;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyByAny(token, error, options);
      const { kid } = error instanceof errors.JWKSNoMatchingKey ? decodeProtectedHeader(token) : {};
      if (kid === undefined || hasKey(keys, kid)) throw error;
      if (!mayNotFetch)
        throw unauthorized('The bearer token names a key that the set of keys does not have', INVALID_TOKEN);
      const headers = retryAfterHeader(remote.secondsToNextFetch());
      throw new HttpError('unavailable', 'The key of the bearer token is not known yet', headers, true);
    }
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
    case 'jwks':
      return verifyByKeys(settings.url, { ...options, algorithms: ['RS256', 'ES256', 'EdDSA'] });
  }
};
