import { isLoopbackHost } from '../lib/ip-address.ts';
import { refusePlaintext } from './plaintext.ts';
import { isProduction, readList, type VariableReader } from './values.ts';

const parseUrl = (text: string): URL | undefined =>
  !/\s/.test(text) && URL.canParse(text) ? new URL(text) : undefined;

/** The URL of another service. Messages never show it, since query strings hold tokens. */
export const readHttpUrl = (variables: VariableReader, name: string): URL | undefined => {
  const text = variables.get(name);
  if (text === undefined) return undefined;
  const allowed = 'an http:// or https:// URL without user and password';
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) variables.refuse(name, 'is not an HTTP URL', allowed);
  // fetch refuses such URLs, and its message shows them.
  else if (url.username || url.password) variables.refuse(name, 'holds a user or a password', allowed);
  return url;
};

/** The same, for what codes and keys come by: in production https, but to this machine. */
export const readSecureUrl = (variables: VariableReader, name: string): URL | undefined => {
  const url = readHttpUrl(variables, name);
  if (url?.protocol !== 'http:' || !isProduction(variables) || isLoopbackHost(url.hostname)) return url;
  variables.refuse(name, 'is not https', 'in production an https:// URL, or a loopback address');
  return undefined;
};

const SMTP_PARAMETERS: readonly string[] = ['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized'];

const isSmtpParameter = ([name, value]: readonly [string, string]): boolean =>
  SMTP_PARAMETERS.includes(name) && ['true', 'false'].includes(value);

export const readSmtpUrl = (variables: VariableReader, name: string): URL | undefined => {
  const text = variables.get(name);
  if (text === undefined) return undefined;
  const url = /^smtps?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url?.hostname) {
    variables.refuse(name, 'is not an SMTP URL', 'smtp://[user:password@]host[:port] or smtps://…');
    return;
  }
  if ([...url.searchParams].some((parameter) => !isSmtpParameter(parameter)))
    variables.refuse(name, 'holds an unknown parameter or value', `${SMTP_PARAMETERS.join(', ')}, each true or false`);
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    variables.refuse(name, 'holds a malformed percent-encoding', 'user and password percent-encoded as UTF-8');
  }
  const is = (parameter: string, value: string) => url.searchParams.get(parameter) === value;
  const isEncrypted = (url.protocol === 'smtps:' || is('requireTLS', 'true')) && !is('tls.rejectUnauthorized', 'false');
  const encrypted = 'smtps:// or requireTLS=true';
  refusePlaintext(variables, name, { hosts: [url.hostname], isEncrypted }, encrypted);
  return url;
};

const isOrigin = (text: string): boolean => /^https?:\/\//.test(text) && parseUrl(text)?.origin === text;

/** Origins as browsers send them; `*`, alone, is every origin. */
export const readOrigins = (variables: VariableReader, name: string): readonly string[] =>
  variables.get(name) === '*'
    ? ['*']
    : readList(
        variables,
        name,
        (entry) => (isOrigin(entry) ? entry : undefined),
        '*, or origins such as https://app.example.com, comma-separated',
        () => 'is not an origin',
      );
