import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { forbidden } from '../errors/domain-error.ts';
import type { BrowserPages } from '../http/create-http-app.ts';
import type { Authenticator } from '../http/authenticator.ts';
import type { Context } from '../http/edge/context.ts';
import { unauthorized } from '../http/edge/http-error.ts';
import { addConsoleAssets } from './assets.ts';
import { createConsoleCookies } from './cookies.ts';
import { isPathAllowedForSessions, isAllowedReadOnly, refuseCrossSiteRequest } from './guard.ts';
import { createOidcClient, loggableReasonOf } from './oidc-client.ts';
import { addSessionRoutes } from './session-routes.ts';
import { createSessionManager, sessionExpiryOf, type Session, type ConsoleIdentity } from './session-manager.ts';
import type { ConsoleSettings } from './settings.ts';

/** Follows builds for as long as a page is open, and so is no sign that anyone is there. */
const BUILD_EVENTS_PATH = '/admin/projections/events';

interface Console extends BrowserPages {
  /** Credentials that take a session, too, for requests without any other. */
  readonly withSessions: (credentials: Authenticator) => Authenticator;
}

/** The operators' console: its page, signing in and out, and what its sessions may do. */
export const createConsole = (settings: ConsoleSettings, logger: Logger): Console => {
  const cookies = createConsoleCookies(settings);
  const issuer = settings.kind === 'oidc' ? createOidcClient(settings) : undefined;
  const onFailure = (error: unknown, what: string) => logger.warn({ reason: loggableReasonOf(error) }, what);

  const refresh = async (identity: ConsoleIdentity): Promise<ConsoleIdentity | undefined> => {
    // The demo has nobody to ask.
    if (!issuer) return identity;
    try {
      const { user, grant } = await issuer.refresh(identity);
      return user.isAdmin || user.isAnalyst ? { user, grant } : undefined;
    } catch (error) {
      onFailure(error, 'A session of the console ends, since the roles of its user could not be asked again');
      return undefined;
    }
  };
  const sessions = createSessionManager({ secret: settings.sessionSecret, refresh });

  const keep = async (ctx: Context, session: Session): Promise<void> =>
    cookies.session.set(ctx, await sessions.seal(session), sessionExpiryOf(session) - Date.now());

  /** Of requests that have the cookie and no other credentials; undefined where it has ended. */
  const found = new WeakMap<IncomingMessage, Session | undefined>();
  const find = async (ctx: Context): Promise<void> => {
    const text = cookies.session.get(ctx);
    if (text === undefined) return;
    const { session, isChanged = false } = (await sessions.find(text)) ?? {};
    found.set(ctx.req, session);
    if (!session) return;
    if (isChanged) await keep(ctx, session);
    ctx.state.key = sessions.callerOf(session).key;
  };

  const withSessions = (credentials: Authenticator): Authenticator => ({
    recall: (ctx) => credentials.recall(ctx),
    async identify(ctx, access) {
      const { path = '' } = ctx.state.operation ?? {};
      if (!found.has(ctx.req)) return credentials.identify(ctx, access);
      if (!isPathAllowedForSessions(path) || access.scope !== 'client') {
        // As without the cookie.
        ctx.state.key = undefined;
        return credentials.identify(ctx, access);
      }
      const session = found.get(ctx.req);
      if (!session) throw unauthorized('The session of the console has ended; sign in again');
      refuseCrossSiteRequest(ctx, settings);
      if (settings.mode === 'read-only' && !isAllowedReadOnly(ctx)) throw forbidden('The console is read-only here');
      const used = path === BUILD_EVENTS_PATH ? session : sessions.used(session);
      if (used !== session) await keep(ctx, used);
      return sessions.callerOf(used);
    },
  });

  return {
    findSession: (ctx, next) => {
      const { cookie, authorization, 'x-api-key': key } = ctx.req.headers;
      if (cookie === undefined || authorization !== undefined || key !== undefined) return next();
      return find(ctx).then(next);
    },
    addRoutes(table) {
      addSessionRoutes(table, {
        settings,
        cookies,
        issuer,
        sessions,
        sessionOf: (ctx) => found.get(ctx.req),
        keep,
        onFailure,
      });
      return addConsoleAssets(table);
    },
    withSessions,
  };
};
