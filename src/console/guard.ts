import { forbidden } from '../errors/domain-error.ts';
import type { Context } from '../http/edge/context.ts';
import { isLoopbackHost } from '../lib/ip-address.ts';
import type { ConsoleSettings } from './settings.ts';

/** Operations that a session may ask for, by their paths; all others need an API key. */
export const isPathAllowedForSessions = (path: string): boolean =>
  /^\/(?:admin\/audit$|admin\/projections(?:\/|$)|history\/)/.test(path);

const isRead = ({ method }: Context): boolean => method === 'GET' || method === 'HEAD';

/** A statement is a POST that only reads. */
export const isAllowedReadOnly = (ctx: Context): boolean => isRead(ctx) || ctx.path === '/history/statements';

const isLoopbackOrigin = (origin: string): boolean => URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);

/** Whether a request may come from the page: it names no other origin, and in the demo this machine as its host. */
export const isSameOriginRequest = (ctx: Context, settings: ConsoleSettings): boolean => {
  const { origin } = ctx.req.headers;
  if (settings.kind === 'oidc') return origin === undefined || origin === settings.url.origin;
  // A foreign page can have its own name lead to this machine (DNS rebinding), and then reads what is answered.
  return isLoopbackHost(ctx.hostname) && (origin === undefined || isLoopbackOrigin(origin));
};

/**
 * Refuses what another page may have sent. Browsers name the origin of whatever changes something, and let no foreign
 * page set the header.
 *
 * @throws DomainError forbidden
 */
export const refuseCrossSiteRequest = (ctx: Context, settings: ConsoleSettings): void => {
  if (!isSameOriginRequest(ctx, settings))
    throw forbidden(
      settings.kind === 'demo'
        ? 'The console of the demo is for requests whose Host and Origin are loopback names'
        : 'The console is for requests of its own page: the header Origin must be that of CONSOLE_URL',
    );
  if (isRead(ctx)) return;
  if (ctx.get('X-Console') !== '1') throw forbidden('The header X-Console must be 1');
  if (ctx.req.headers.origin === undefined) throw forbidden('The header Origin is missing');
};
