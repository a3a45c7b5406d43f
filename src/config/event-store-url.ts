import { configFault } from './config-error.ts';

const EVENT_STORE = /^esdb(?:\+discover)?:\/\/(?:[^\s/@]*@)?[^\s/?@]+\/?(?:\?(\S*))?$/i;
export const EVENT_STORE_FORM = 'esdb://[user:password@]host[:port][?options]';

const [BOOLEAN, NUMBER, TEXT] = [/^(?:true|false)$/, /^\d{1,9}$/, /^(?:[^%]|%[0-9A-Fa-f]{2})+$/];

/**
 * The options of the client's connection string. Left out are `throwOnAppendFailure`, without which a conflict would look
 * like a success, and `tlsVerifyCert`, which has no effect.
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

/** Other nodes are behind the leader: a command would decide on what is no longer so, and a request under a used key would be done again. */
const LEADER = 'nodePreference=leader';
const prefersOthers = (text: string): boolean => text.startsWith('nodePreference=') && text !== LEADER;

const isOption = (text: string): boolean => {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  return OPTIONS.get(name)?.test(value) === true;
};

/**
 * Refuses what the client would complain about: it does so with the whole URL, and the password in it.
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
