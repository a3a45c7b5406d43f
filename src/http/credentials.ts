import { actorOf, type Access, type Caller, type User } from '../access.ts';
import { forbidden, unauthorized } from '../errors.ts';
import type { FindKey } from './api-keys.ts';
import type { Context, Step } from './context.ts';

/** Sets `ctx.state.key`: whose API key the request carries, if it is a known one. */
export const findApiKey =
  (findKey: FindKey): Step =>
  (ctx, next) => {
    ctx.state.key = findKey(ctx.get('X-API-Key'));
    return next();
  };

export interface Credentials {
  /** Who is calling, or a 401. */
  identify(ctx: Context, access: Access<unknown>): Promise<Caller>;
}

/** Credentials as the decisions have them: an API key always, and a bearer token on what is not internal. */
export const createCredentials = (
  verifyToken: (authorization: string) => Promise<User | undefined>,
): Credentials => ({
  async identify(ctx, access) {
    const { key } = ctx.state;
    if (!key) {
      const fault = ctx.get('X-API-Key') === '' ? 'is missing' : 'holds no known key';
      throw unauthorized(`The header X-API-Key ${fault}`, 'ApiKey');
    }
    if (key.scope !== access.scope)
      throw forbidden(`The API key has the scope ${key.scope}; this needs ${access.scope}`);
    const user = access.scope === 'internal' ? undefined : await verifyToken(ctx.get('Authorization'));
    const caller = { key, user };
    ctx.state.caller = caller;
    return caller;
  },
});

/** One text per API key and user: what limits and idempotency keys are kept apart by. */
export const ownerOf = (caller: Caller): string =>
  `${caller.key.scope}:${caller.key.name}\n${caller.user ? actorOf(caller) : ''}`;
