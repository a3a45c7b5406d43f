import { hash } from 'node:crypto';
import { actorOf, type Access, type Caller } from '../command-handling/access.ts';
import { forbidden, unauthorized } from '../errors/http-error.ts';
import { remembered } from '../lib/memoize.ts';
import type { FindKey } from './api-keys.ts';
import type { Act, Context } from './context.ts';
import type { VerifyToken } from './tokens.ts';

export interface Credentials {
  /** Who is calling, or a 401. */
  identify(ctx: Context, access: Access<unknown>): Promise<Caller>;
}

/** Gives the caller that was identified by the same API key and token lately. */
export type RecallCaller = (ctx: Context) => Caller | undefined;

/** Sets `ctx.state.key`: whose API key the request carries, if it is a known one. */
export const findApiKey =
  (findKey: FindKey, recall: RecallCaller = () => undefined): Act =>
  (ctx) => {
    const caller = recall(ctx);
    ctx.state.caller = caller;
    ctx.state.key = caller ? caller.key : findKey(ctx.get('X-API-Key'));
  };

const MAX_REMEMBERED = 10_000;
/** Longer ones are not hashed before they are looked at: a client can send them by the thousand. */
const MAX_LENGTH = 8_192;

/** One text per API key and token, from which neither can be told; undefined where one of them is missing. */
const digestOf = ({ req: { headers } }: Context): string | undefined => {
  const { 'x-api-key': key, authorization } = headers;
  if (typeof key !== 'string' || authorization === undefined) return undefined;
  if (key.length + authorization.length > MAX_LENGTH) return undefined;
  // No header holds a line feed.
  return hash('sha256', `${key}\n${authorization}`, 'base64');
};

/** Credentials as the decisions have them: an API key always, and a bearer token on what is not internal. */
export const createCredentials = (
  verifyToken: VerifyToken,
): Credentials & { readonly recall: RecallCaller } => {
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>();
  /** An application without a user is the same caller each time. */
  const alone = remembered((key: Caller['key']): Caller => ({ key, user: undefined }));

  const remember = (ctx: Context, caller: Caller, until: number): void => {
    const digest = digestOf(ctx);
    if (digest === undefined) return;
    if (known.size >= MAX_REMEMBERED) known.delete(known.keys().next().value ?? '');
    known.set(digest, { caller, until });
  };

  return {
    recall(ctx) {
      const digest = digestOf(ctx);
      const found = digest === undefined ? undefined : known.get(digest);
      if (!found || found.until > Date.now()) return found?.caller;
      known.delete(digest ?? '');
      return undefined;
    },
    async identify(ctx, access) {
      const { key, caller } = ctx.state;
      if (!key) {
        const fault = ctx.get('X-API-Key') === '' ? 'is missing' : 'holds no known key';
        throw unauthorized(`The header X-API-Key ${fault}`, 'ApiKey');
      }
      if (key.scope !== access.scope)
        throw forbidden(`The API key has the scope ${key.scope}; this needs ${access.scope}`);
      if (access.scope === 'internal') return alone(key);
      if (caller) return caller;
      const verified = await verifyToken(ctx.get('Authorization'));
      if (!verified) return alone(key);
      const identified = { key, user: verified.user };
      remember(ctx, identified, verified.until);
      return identified;
    },
  };
};

/** One text per API key and user: what limits and idempotency keys are kept apart by. */
export const ownerOf = remembered(
  (caller: Caller): string => `${caller.key.scope}:${caller.key.name}\n${caller.user ? actorOf(caller) : ''}`,
);

let callers = 0;
/** A number of the caller's own in this process: shorter to compare than all that is known of one. */
export const numberOf = remembered((_caller: Caller): number => ++callers);
