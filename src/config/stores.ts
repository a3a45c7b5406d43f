import { join, resolve } from 'node:path';
import type { SqliteFile, StoreSettings } from '../stores.ts';
import { configFault } from './config-error.ts';
import { checkEventStoreUrl, EVENT_STORE_FORM } from './event-store-url.ts';
import { quote, type Variables } from './values.ts';

const LOGIN = '(?:[^\\s/@]*@)?';
/** With a database: the driver would choose one itself. */
const MONGO = new RegExp(`^mongodb(?:\\+srv)?://${LOGIN}[^\\s/?@]+/[^\\s/?.$"]+(?:\\?\\S*)?$`, 'i');
const MONGO_FORM = 'mongodb://[user:password@]host[:port]/database[?options]';

const readSqlite = (name: string, text: string, allowed: string): SqliteFile => {
  const path = /^sqlite:([^\0]+)$/s.exec(text)?.[1];
  if (path === undefined) throw configFault(name, 'is of no kind that is known', allowed);
  if (path.startsWith('//'))
    throw configFault(
      name,
      'has slashes of a host before its path',
      'as in sqlite:/var/lib/hiring/events.db',
    );
  if (path === ':memory:') throw configFault(name, 'names no file', 'sqlite:<path> of a file');
  return { kind: 'sqlite', path };
};

const PREFIX = /^(?![$])[A-Za-z0-9._$-]{1,64}$/;

/** The prefix of stream names on a server; empty when not set. */
export const readPrefix = (variables: Variables): string => {
  const prefix = variables('EVENT_STORE_PREFIX') ?? '';
  if (prefix !== '' && !PREFIX.test(prefix))
    throw configFault(
      'EVENT_STORE_PREFIX',
      `is ${quote(prefix)}`,
      '1 to 64 characters out of A-Z a-z 0-9 . _ $ -, and not $ first',
    );
  return prefix;
};

/** A SQLite file or EventStoreDB. Messages never show its URL, which may hold a password. */
export const readEventStore = (name: string, text: string, prefix: string): StoreSettings['eventStore'] => {
  if (!/^esdb/i.test(text)) return readSqlite(name, text, `sqlite:<path> or ${EVENT_STORE_FORM}`);
  checkEventStoreUrl(name, text);
  return { kind: 'eventstoredb', url: text, prefix };
};

const readReadModels = (name: string, text: string): StoreSettings['readModels'] => {
  if (!/^mongodb/i.test(text)) return readSqlite(name, text, `sqlite:<path> or ${MONGO_FORM}`);
  if (!MONGO.test(text)) throw configFault(name, 'is not a URL of a MongoDB database', MONGO_FORM);
  return { kind: 'mongodb', url: text };
};

/**
 * Where events and read models are: both in files, or both on servers.
 *
 * @param dataDirectory of files that no variable names
 */
export const readStores = (variables: Variables, dataDirectory: string): StoreSettings => {
  const file = (name: string) => `sqlite:${join(dataDirectory, name)}`;
  const prefix = readPrefix(variables);
  const eventStore = readEventStore(
    'EVENT_STORE_URL',
    variables('EVENT_STORE_URL') ?? file('events.db'),
    prefix,
  );
  const readModels = readReadModels('READ_MODEL_URL', variables('READ_MODEL_URL') ?? file('read-models.db'));
  if ((eventStore.kind === 'sqlite') !== (readModels.kind === 'sqlite'))
    throw configFault(
      'EVENT_STORE_URL and READ_MODEL_URL',
      'name a file and a server',
      'two files (sqlite:), or esdb: and mongodb: together',
    );
  // Two writing connections to one SQLite file can lose data.
  if (
    eventStore.kind === 'sqlite' &&
    readModels.kind === 'sqlite' &&
    resolve(eventStore.path) === resolve(readModels.path)
  )
    throw configFault('READ_MODEL_URL', 'names the file of EVENT_STORE_URL', 'a file of its own');
  return { eventStore, readModels };
};
