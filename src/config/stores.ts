import { join, resolve } from 'node:path';
import { streamCategories } from '../domain/index.ts';
import type { SqliteSettings, StoreSettings } from '../stores.ts';
import { checkEventStoreUrl, EVENT_STORE_URL_FORM } from './event-store-url.ts';
import { refusePlaintext, type ConnectionTarget } from './plaintext.ts';
import { quote, type VariableReader } from './values.ts';

/** With a database: the driver would choose one itself. */
const MONGO_URL_PATTERN = /^mongodb(\+srv)?:\/\/(?:[^\s/@]*@)?([^\s/?@]+)\/[^\s/?.$"]+(?:\?(\S*))?$/i;
const MONGO_FORM = 'mongodb://[user:password@]host[:port]/database[?options]';

const readSqlite = (
  variables: VariableReader,
  name: string,
  text: string,
  allowed: string,
): SqliteSettings | undefined => {
  const path = /^sqlite:([^\0]+)$/s.exec(text)?.[1];
  if (path === undefined) variables.refuse(name, 'is of no kind that is known', allowed);
  else if (path.startsWith('//'))
    variables.refuse(name, 'has slashes of a host before its path', 'as in sqlite:/var/lib/hiring/events.db');
  else if (path === ':memory:') variables.refuse(name, 'names no file', 'sqlite:<path> of a file');
  else return { kind: 'sqlite', path };
  return undefined;
};

const STREAM_PREFIX_PATTERN = /^(?![$])[A-Za-z0-9._$-]{1,64}$/;

/** The prefix of stream names on a server; empty when not set. */
export const readStreamPrefix = (variables: VariableReader): string => {
  const prefix = variables.get('EVENT_STORE_PREFIX') ?? '';
  if (prefix !== '' && !STREAM_PREFIX_PATTERN.test(prefix))
    variables.refuse(
      'EVENT_STORE_PREFIX',
      `is ${quote(prefix)}`,
      '1 to 64 characters out of A-Z a-z 0-9 . _ $ -, and not $ first',
    );
  return prefix;
};

/** A SQLite file or EventStoreDB. Messages never show its URL, which may hold a password. */
export const readEventStoreSettings = (
  variables: VariableReader,
  name: string,
  text: string,
  prefix: string,
): StoreSettings['eventStore'] | undefined => {
  if (!/^esdb/i.test(text)) return readSqlite(variables, name, text, `sqlite:<path> or ${EVENT_STORE_URL_FORM}`);
  return checkEventStoreUrl(variables, name, text)
    ? { kind: 'eventstoredb', url: text, prefix, categories: streamCategories }
    : undefined;
};

/** Its driver takes names of options in any case, and TLS as on with `mongodb+srv` unless an option turns it off. */
const mongoTargetOf = (srv: string | undefined, hosts: string, query = ''): ConnectionTarget => {
  const options = [...new URLSearchParams(query)].map(([name, value]) => `${name.toLowerCase()}=${value}`);
  const has = (pattern: RegExp) => options.some((option) => pattern.test(option));
  const isOn = has(/^(?:tls|ssl)=true$/) || (srv !== undefined && !has(/^(?:tls|ssl)=/));
  const isUnchecked = has(/^(?:tlsinsecure|tlsallowinvalidcertificates|tlsallowinvalidhostnames)=true$/);
  return { hosts: hosts.split(','), isEncrypted: isOn && !isUnchecked };
};

const readReadModels = (
  variables: VariableReader,
  name: string,
  text: string,
): StoreSettings['readModels'] | undefined => {
  if (!/^mongodb/i.test(text)) return readSqlite(variables, name, text, `sqlite:<path> or ${MONGO_FORM}`);
  const [isUrl, srv, hosts = '', query] = MONGO_URL_PATTERN.exec(text) ?? [];
  if (isUrl === undefined) {
    variables.refuse(name, 'is not a URL of a MongoDB database', MONGO_FORM);
    return;
  }
  refusePlaintext(variables, name, mongoTargetOf(srv, hosts, query), 'tls=true');
  return { kind: 'mongodb', url: text };
};

/** Both stores are files, or both are on servers. @param dataDirectory of files that no variable names */
export const readStoreSettings = (variables: VariableReader, dataDirectory: string): StoreSettings | undefined => {
  const urlOf = (name: string, file: string) => variables.get(name) ?? `sqlite:${join(dataDirectory, file)}`;
  const eventStore = readEventStoreSettings(
    variables,
    'EVENT_STORE_URL',
    urlOf('EVENT_STORE_URL', 'events.db'),
    readStreamPrefix(variables),
  );
  const readModels = readReadModels(variables, 'READ_MODEL_URL', urlOf('READ_MODEL_URL', 'read-models.db'));
  if (!eventStore || !readModels) return undefined;
  if ((eventStore.kind === 'sqlite') !== (readModels.kind === 'sqlite'))
    variables.refuse(
      'EVENT_STORE_URL and READ_MODEL_URL',
      'name a file and a server',
      'two files (sqlite:), or esdb: and mongodb: together',
    );
  // Two writing connections to one SQLite file can lose data.
  else if (
    eventStore.kind === 'sqlite' &&
    readModels.kind === 'sqlite' &&
    resolve(eventStore.path) === resolve(readModels.path)
  )
    variables.refuse('READ_MODEL_URL', 'names the file of EVENT_STORE_URL', 'a file of its own');
  return { eventStore, readModels };
};
