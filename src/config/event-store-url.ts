import { configFault } from './config-error.ts';

const EVENT_STORE = /^esdb(?:\+discover)?:\/\/(?:[^\s/@]*@)?[^\s/?@]+\/?(?:\?(\S*))?$/i;
export const EVENT_STORE_FORM = 'esdb://[user:password@]host[:port][?options]';

const [BOOLEAN, NUMBER, TEXT] = [/^(?:true|false)$/, /^\d{1,9}$/, /^(?:[^%]|%[0-9A-Fa-f]{2})+$/];

/**
 * The allowed options. Left out are `throwOnAppendFailure`, which can make a conflict look like a success, and
 * `tlsVerifyCert`, which has no effect.
 */
const OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['tls', BOOLEAN],
  ['tlsCAFile', TEXT],
  ['userCertFile', TEXT],
  ['userKeyFile', TEXT],
  ['connectionName', TEXT],
  ['nodePreference', TEXT],
  ['maxDiscoverAttempts', NUMBER],
  ['discoveryInterval', NUMBER],
  ['gossipTimeout', NUMBER],
  ['defaultDeadline', NUMBER],
  ['keepAliveInterval', NUMBER],
  ['keepAliveTimeout', NUMBER],
]);

/** Followers lag: a command would decide on old state, and a request under a used Idempotency-Key run again. */
const LEADER = 'nodePreference=leader';
const prefersOthers = (text: string): boolean => text.startsWith('nodePreference=') && text !== LEADER;

const isOption = (text: string): boolean => {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  return OPTIONS.get(name)?.test(value) === true;
};

/**
 * Refuses what the client library would refuse with a message that shows the whole URL, password included.
 *
 * @throws ConfigError which never shows the value
 */
export const checkEventStoreUrl = (name: string, url: string): void => {
  const match = EVENT_STORE.exec(url);
  if (!match) throw configFault(name, 'is not a URL of EventStoreDB', EVENT_STORE_FORM);
  const options = match[1]?.split('&') ?? [];
  if (!options.every(isOption))
    throw configFault(
      name,
      'has an option that is not known, or no value for one',
      `${[...OPTIONS.keys()].join(', ')}, each with a value, with & between them`,
    );
  if (options.some(prefersOthers))
    throw configFault(
      name,
      'has a nodePreference other than the leader, whose answers alone are new',
      LEADER,
    );
};
