import { resolve } from 'node:path';
import { configFault } from './config-error.ts';
import { entriesOf, quote, type Variables } from './values.ts';

/** Where one of the two stores is. */
export interface SqliteFile {
  readonly kind: 'sqlite';
  readonly path: string;
}

const parse = (text: string): URL | undefined =>
  !/\s/.test(text) && URL.canParse(text) ? new URL(text) : undefined;

/** An address of another service. Its value is never shown: query strings hold tokens. */
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

const OTHER_STORES = /^(esdb|mongodb)(?:\+\w+)?:/i;

/** The file of a store: only SQLite is implemented here. */
export const readSqliteUrl = (variables: Variables, name: string, fallback: string): SqliteFile => {
  const text = variables(name) ?? `sqlite:${fallback}`;
  const allowed = 'only sqlite:<path>';
  const other = OTHER_STORES.exec(text)?.[1];
  if (other)
    throw configFault(
      name,
      `starts with ${other.toLowerCase()}:, which this version does not support`,
      allowed,
    );
  const path = /^sqlite:([^\0]+)$/s.exec(text)?.[1];
  if (path === undefined) throw configFault(name, 'is not a sqlite: URL', allowed);
  if (path.startsWith('//'))
    throw configFault(
      name,
      'has slashes of a host before its path',
      `${allowed}, as in sqlite:/var/lib/hiring/events.db`,
    );
  if (path === ':memory:') throw configFault(name, 'names no file', `${allowed}, of a file`);
  return { kind: 'sqlite', path };
};

/** Two writing connections to one SQLite file can lose data. */
export const refuseSameFile = (eventStore: SqliteFile, readModels: SqliteFile): void => {
  if (resolve(eventStore.path) === resolve(readModels.path))
    throw configFault('READ_MODEL_URL', 'names the file of EVENT_STORE_URL', 'a file of its own');
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
