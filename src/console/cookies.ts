import type { Context } from '../http/edge/context.ts';
import type { ConsoleSettings } from './settings.ts';

/** A cookie that no script can read. @param isSecure TLS may end at a proxy, so the connection does not tell */
const createCookie = (name: string, path: string, sameSite: 'Strict' | 'Lax', isSecure: boolean) => {
  const attributes = `Path=${path}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
  const set = (ctx: Context, value: string, milliseconds: number): void =>
    ctx.append('Set-Cookie', `${name}=${value}; Max-Age=${Math.round(milliseconds / 1_000)}; ${attributes}`);
  return {
    get: (ctx: Context): string | undefined => ctx.cookies.get(name),
    set,
    clear: (ctx: Context): void => set(ctx, '', 0),
  };
};

/** The cookies of the console, for the paths that browsers see. */
export const createConsoleCookies = (settings: ConsoleSettings) => {
  const page = settings.kind === 'demo' ? '/console' : settings.url.pathname;
  const isSecure = settings.kind === 'oidc' && settings.url.protocol === 'https:';
  return {
    // Of all that is beside the page: it covers `/admin` and `/history`.
    session: createCookie('hiring_console', page.slice(0, page.lastIndexOf('/') + 1), 'Strict', isSecure),
    // Lax, since it is the issuer's page that leads back.
    signIn: createCookie('hiring_console_sign_in', page, 'Lax', isSecure),
  };
};
export type ConsoleCookies = ReturnType<typeof createConsoleCookies>;
