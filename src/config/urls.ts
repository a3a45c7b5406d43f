import { configFault } from './config-error.ts';
import { entriesOf, quote, type Variables } from './values.ts';

const parse = (text: string): URL | undefined =>
  !/\s/.test(text) && URL.canParse(text) ? new URL(text) : undefined;

/** The URL of another service. Messages never show it, since query strings hold tokens. */
export const readHttpUrl = (variables: Variables, name: string): URL | undefined => {
  const text = variables(name);
  if (text === undefined) return undefined;
  const allowed = 'an http:// or https:// URL without user and password';
  const url = /^https?:\/\//i.test(text) ? parse(text) : undefined;
  if (!url) throw configFault(name, 'is not an HTTP URL', allowed);
  // fetch refuses such URLs, and its message shows them.
  if (url.username || url.password) throw configFault(name, 'holds a user or a password', allowed);
  return url;
};

const SMTP_PARAMETERS: readonly string[] = ['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized'];

export const readSmtpUrl = (variables: Variables, name: string): URL | undefined => {
  const text = variables(name);
  if (text === undefined) return undefined;
  const url = /^smtps?:\/\//i.test(text) ? parse(text) : undefined;
  if (!url?.hostname)
    throw configFault(name, 'is not an SMTP URL', 'smtp://[user:password@]host[:port] or smtps://…');
  for (const [parameter, value] of url.searchParams)
    if (!SMTP_PARAMETERS.includes(parameter) || !['true', 'false'].includes(value))
      throw configFault(
        name,
        'holds an unknown parameter or value',
        `${SMTP_PARAMETERS.join(', ')}, each true or false`,
      );
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw configFault(
      name,
      'holds a malformed percent-encoding',
      'user and password percent-encoded as UTF-8',
    );
  }
  return url;
};

const isOrigin = (text: string): boolean => /^https?:\/\//.test(text) && parse(text)?.origin === text;

/** Origins as browsers send them; `*`, alone, is every origin. */
export const readOrigins = (variables: Variables, name: string): readonly string[] => {
  const text = variables(name);
  if (text === undefined) return [];
  if (text === '*') return ['*'];
  return entriesOf(text).map(({ entry, place }) => {
    if (!isOrigin(entry))
      throw configFault(
        name,
        `${place} is ${quote(entry)}, which is not an origin`,
        '*, or origins such as https://app.example.com, comma-separated',
      );
    return entry;
  });
};
