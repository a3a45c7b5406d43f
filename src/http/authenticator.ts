import { hash } from 'node:crypto';
import { actorOf, type AccessPolicy, type Caller } from '../access/access.ts';
import { forbidden } from '../errors/domain-error.ts';
import { unauthorized } from './edge/http-error.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import { memoizeByIdentity } from '../lib/memoize-by-identity.ts';
import type { FindApiKey } from './api-keys.ts';
import type { SyncStep, Context } from './edge/context.ts';
import { MAX_HEAD_BYTES } from './edge/request-head.ts';
import type { VerifyToken } from './tokens.ts';

/** The caller, if the same API key and token were verified lately. */
export type FindCachedCaller = (ctx: Context) => Caller | undefined;

export interface Authenticator {
  readonly recall: FindCachedCaller;
  /** @throws HttpError 401 for missing or invalid credentials; DomainError for an API key of another scope */
  identify(ctx: Context, access: AccessPolicy<unknown>): Promise<Caller>;
}

/** Sets `ctx.state.key` to the request's API key, if it is known. */
export const setRequestApiKey =
  (findKey: FindApiKey, recall: FindCachedCaller = () => undefined): SyncStep =>
  (ctx) => {
    const recalled = recall(ctx);
    ctx.state.recalled = recalled;
    ctx.state.key = recalled ? recalled.key : findKey(ctx.get('X-API-Key'));
  };

const MAX_REMEMBERED = 10_000;
/** Longer credentials are not hashed: their request is refused, since all headers together may have no more. */
const MAX_LENGTH = MAX_HEAD_BYTES;

/** Hashed, so that the cache holds no credentials; undefined without both. */
const digestOf = ({ req: { headers } }: Context): string | undefined => {
  const { 'x-api-key': key, authorization } = headers;
  if (typeof key !== 'string' || authorization === undefined) return undefined;
  if (key.length + authorization.length > MAX_LENGTH) return undefined;
  // No header can hold the line feed between them.
  return hash('sha256', `${key}\n${authorization}`, 'base64');
};

/** An API key always, and a bearer token except for internal operations (decisions, Credentials). */
export const createAuthenticator = (verifyToken: VerifyToken): Authenticator => {
  const known = createBoundedCache<Caller>(MAX_REMEMBERED);
  /** One object per API key, as `callerIdOf` and `inProcessCallerIdOf` memoize by caller. */
  const alone = memoizeByIdentity((key: Caller['key']): Caller => ({ key, user: undefined }));

  return {
    recall(ctx) {
      const digest = digestOf(ctx);
      return digest === undefined ? undefined : known.get(digest);
    },
    async identify(ctx, access) {
      const { key, recalled } = ctx.state;
      if (!key) {
        const fault = ctx.get('X-API-Key') === '' ? 'is missing' : 'holds no known key';
        throw unauthorized(`The header X-API-Key ${fault}`, 'ApiKey');
      }
      if (key.scope !== access.scope)
        throw forbidden(`The API key has the scope ${key.scope}; this needs ${access.scope}`);
      if (access.scope === 'internal') return alone(key);
      if (recalled) return recalled;
      const verified = await verifyToken(ctx.get('Authorization'));
      if (!verified) return alone(key);
      const { user, expiresAt } = verified;
      const identified = { key, user, expiresAt };
      const digest = digestOf(ctx);
      const ttl = Math.max(1, verified.until - performance.now());
      if (digest !== undefined) known.set(digest, identified, { ttl });
      return identified;
    },
  };
};

/** Tells callers apart, for rate limits and idempotency keys. */
export const callerIdOf = memoizeByIdentity(
  (caller: Caller): string => `${caller.key.scope}:${caller.key.name}\n${caller.user ? actorOf(caller) : ''}`,
);

let callers = 0;
/** Tells callers apart within this process, in the keys of cached answers: shorter than `callerIdOf`. */
export const inProcessCallerIdOf = memoizeByIdentity((_caller: Caller): number => ++callers);
