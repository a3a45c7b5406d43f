import type { Context } from '../http/edge/context.ts';
import { readJson } from '../http/edge/request-body.ts';
import { requireValid } from '../http/parameters.ts';
import type { RouteStep, SegmentRouter } from '../http/segment-router.ts';
import { object } from '../schema/schema.ts';
import { Type } from '../schema/typebox.ts';
import { createValidator } from '../schema/validation.ts';
import type { ConsoleCookies } from './cookies.ts';
import type { SignInErrorCode } from './sign-in-errors.ts';
import { isSameOriginRequest, refuseCrossSiteRequest } from './guard.ts';
import { SignInAttempt, type OidcClient } from './oidc-client.ts';
import { createSeal } from './seal.ts';
import { sessionExpiryOf, type Session, type SessionManager } from './session-manager.ts';
import type { ConsoleSettings, OidcSettings } from './settings.ts';

interface SessionRouteOptions {
  readonly settings: ConsoleSettings;
  readonly cookies: ConsoleCookies;
  /** Undefined in the demo. */
  readonly issuer: OidcClient | undefined;
  readonly sessions: SessionManager;
  /** The session of a request; undefined without one. */
  readonly sessionOf: (ctx: Context) => Session | undefined;
  /** Sets the cookie. */
  readonly keep: (ctx: Context, session: Session) => Promise<void>;
  readonly onFailure: (error: unknown, what: string) => void;
}

/** What the page is told of a session, and of how one signs in. */
const sessionAnswer = ({ kind, mode }: ConsoleSettings, session: Session | undefined) => ({
  signIn: kind,
  mode,
  user: session?.user ?? null,
  expiresAt: session ? new Date(sessionExpiryOf(session)).toISOString() : null,
});

const checkDemo = createValidator(object({ role: Type.Enum(['admin', 'analyst']) }), 'body');

const demoSignInRoute =
  ({ settings, sessions, keep }: SessionRouteOptions): RouteStep =>
  async (ctx) => {
    refuseCrossSiteRequest(ctx, settings);
    const { role } = requireValid(checkDemo, await readJson(ctx));
    const user = { id: `demo-${role}`, isAdmin: role === 'admin', isAnalyst: role === 'analyst' };
    const session = sessions.begin({ user, grant: null });
    await keep(ctx, session);
    ctx.body = sessionAnswer(settings, session);
  };

const SIGN_IN_MS = 10 * 60_000;
/** A part of an address behind `#` (RFC 3986, 3.5), short enough for a cookie. */
const VIEW_PATTERN = /^[\w.~!$&'()*+,;=:@/?%-]{1,1000}$/;

/** Both ends of signing in at the issuer: there, and back with a code. */
const oidcSignInRoutes = (
  { settings: { sessionSecret }, cookies, sessions, keep, onFailure }: SessionRouteOptions,
  issuer: OidcClient,
  { url }: OidcSettings,
): { readonly begin: RouteStep; readonly finish: RouteStep } => {
  const attempts = createSeal(sessionSecret, 'sign-in', SignInAttempt, () => Date.now());
  const leadTo = (ctx: Context, address: string): void => {
    ctx.status = 302;
    ctx.set('Location', address);
  };
  const leadBack = (ctx: Context, view: string): void => leadTo(ctx, `${url.href}/#/${view}`);
  const fail = (ctx: Context, failure: SignInErrorCode): void => leadBack(ctx, `sign-in?failure=${failure}`);

  return {
    async begin(ctx) {
      const { view } = ctx.query;
      const route = typeof view === 'string' && VIEW_PATTERN.test(view) ? view.replace(/^\/+/, '') : '';
      try {
        const { attempt, address } = await issuer.begin(route);
        cookies.signIn.set(ctx, await attempts.seal(attempt, Date.now() + SIGN_IN_MS), SIGN_IN_MS);
        leadTo(ctx, address.href);
      } catch (error) {
        onFailure(error, 'The issuer of the console could not be reached');
        fail(ctx, 'unavailable');
      }
    },

    async finish(ctx) {
      const attempt = await attempts.open(cookies.signIn.get(ctx) ?? '');
      cookies.signIn.clear(ctx);
      if (!attempt || ctx.query['state'] !== attempt.state) {
        fail(ctx, 'expired');
        return;
      }
      try {
        const identity = await issuer.finish(attempt, ctx.querystring);
        if (!identity.user.isAdmin && !identity.user.isAnalyst) {
          fail(ctx, 'no-role');
          return;
        }
        await keep(ctx, sessions.begin(identity));
        leadBack(ctx, attempt.view);
      } catch (error) {
        onFailure(error, 'A sign-in to the console failed');
        fail(ctx, 'refused');
      }
    },
  };
};

/** Signing in and out, and who is signed in. None of it is an operation of the API: it is for the page alone. */
export const addSessionRoutes = (table: SegmentRouter, routes: SessionRouteOptions): void => {
  const { settings, cookies, issuer, sessions, sessionOf } = routes;
  table.add('GET', '/console/session', (ctx) => {
    ctx.body = sessionAnswer(settings, isSameOriginRequest(ctx, settings) ? sessionOf(ctx) : undefined);
  });
  table.add('POST', '/console/sign-out', (ctx) => {
    refuseCrossSiteRequest(ctx, settings);
    const session = sessionOf(ctx);
    if (session) sessions.end(session);
    cookies.session.clear(ctx);
    ctx.status = 204;
  });
  if (settings.kind === 'oidc' && issuer) {
    const { begin, finish } = oidcSignInRoutes(routes, issuer, settings);
    table.add('GET', '/console/sign-in', begin);
    table.add('GET', '/console/callback', finish);
  } else table.add('POST', '/console/sign-in', demoSignInRoute(routes));
};
