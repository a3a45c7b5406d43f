import { existsSync } from 'node:fs';
import { refusePlaintext } from './plaintext.ts';
import type { VariableReader } from './values.ts';

const EVENT_STORE_URL_PATTERN = /^esdb(?:\+discover)?:\/\/(?:[^\s/@]*@)?([^\s/?@]+)\/?(?:\?(\S*))?$/i;
export const EVENT_STORE_URL_FORM = 'esdb://[user:password@]host[:port][?options]';

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

const FILE_OPTION = /^(?:tlsCAFile|userCertFile|userKeyFile)=(.*)$/;
const isMissingFileOption = (option: string): boolean => {
  const [, file] = FILE_OPTION.exec(option) ?? [];
  try {
    return file !== undefined && !existsSync(decodeURIComponent(file));
  } catch {
    return true;
  }
};

/**
 * Refuses what the client library would refuse with a message that shows the whole URL, password included. Messages
 * never show the value.
 *
 * @returns whether the URL is one of EventStoreDB, with options that are allowed
 */
export const checkEventStoreUrl = (variables: VariableReader, name: string, url: string): boolean => {
  const [isUrl, hosts = '', query] = EVENT_STORE_URL_PATTERN.exec(url) ?? [];
  if (isUrl === undefined) {
    variables.refuse(name, 'is not a URL of EventStoreDB', EVENT_STORE_URL_FORM);
    return false;
  }
  const options = query?.split('&') ?? [];
  if (!options.every(isOption)) {
    const allowed = `${[...OPTIONS.keys()].join(', ')}, each with a value, with & between them`;
    variables.refuse(name, 'has an option that is not known, or no value for one', allowed);
  }
  for (const option of options.filter(isOption).filter(isMissingFileOption))
    variables.refuse(name, `has ${option}, and no such file is there`, 'a file that is there');
  if (options.some(prefersOthers))
    variables.refuse(name, 'has a nodePreference other than the leader, whose answers alone are new', LEADER);
  const isEncrypted = !options.includes('tls=false');
  refusePlaintext(variables, name, { hosts: hosts.split(','), isEncrypted }, 'tls=true, as without the option');
  return true;
};
