import type { ConsoleSettings } from '../console/settings.ts';
import { isLoopbackHost } from '../lib/ip-address.ts';
import { readSecret } from './credentials.ts';
import { readHttpUrl, readSecureUrl } from './urls.ts';
import { isProduction, readOneOf, type VariableReader } from './values.ts';

const MODES = ['off', 'read-only', 'on'] as const;
/** What signing in by OpenID Connect needs. */
const OIDC_VARIABLES = [
  'CONSOLE_URL',
  'CONSOLE_OIDC_ISSUER',
  'CONSOLE_OIDC_CLIENT_ID',
  'CONSOLE_OIDC_CLIENT_SECRET',
  'CONSOLE_SESSION_SECRET',
] as const;

/** Without the slash that may end it. */
const readConsoleUrl = (variables: VariableReader): URL | undefined => {
  const url = readSecureUrl(variables, 'CONSOLE_URL');
  if (!url) return undefined;
  url.pathname = url.pathname.replace(/\/$/, '');
  // The path of cookies, where a semicolon would begin an attribute.
  if (/^\/(?:[\w.~%@+-]+\/)*console$/.test(url.pathname) && !/[?#]/.test(url.href)) return url;
  variables.refuse(
    'CONSOLE_URL',
    'does not end with /console, after a path of plain segments',
    'the address of the console in a browser, such as https://hiring.example.com/console',
  );
  return undefined;
};

/** What it tells is who may do what: nobody between may change it. */
const readIssuer = (variables: VariableReader): URL | undefined => {
  const url = readHttpUrl(variables, 'CONSOLE_OIDC_ISSUER');
  if (url?.protocol !== 'http:' || isLoopbackHost(url.hostname)) return url;
  variables.refuse('CONSOLE_OIDC_ISSUER', 'is not https', 'an https:// URL, or a loopback address');
  return undefined;
};

/**
 * The operators' console; undefined: off. Without a mode it is on in the demo, and outside of production where any of
 * its variables is set.
 */
export const readConsoleSettings = (
  variables: VariableReader,
  isDemo: boolean,
  rolesClaim: string,
): ConsoleSettings | undefined => {
  const missing = OIDC_VARIABLES.filter((name) => variables.get(name) === undefined);
  const isGiven = missing.length < OIDC_VARIABLES.length;
  const usual = isDemo || (isGiven && !isProduction(variables)) ? 'on' : 'off';
  const mode = readOneOf(variables, 'CONSOLE', MODES) ?? usual;
  const [url, issuer] = [readConsoleUrl(variables), readIssuer(variables)];
  const sessionSecret = readSecret(variables, 'CONSOLE_SESSION_SECRET');
  if (mode === 'off') return undefined;
  if (isDemo && !isGiven) return { kind: 'demo', mode, sessionSecret };
  for (const name of missing)
    variables.refuse(
      name,
      `is not set, and the console is ${mode}`,
      `all of ${OIDC_VARIABLES.join(', ')}, or CONSOLE=off`,
    );
  const clientId = variables.get('CONSOLE_OIDC_CLIENT_ID') ?? '';
  const clientSecret = variables.get('CONSOLE_OIDC_CLIENT_SECRET') ?? '';
  return url && issuer && { kind: 'oidc', mode, url, issuer, clientId, clientSecret, sessionSecret, rolesClaim };
};
