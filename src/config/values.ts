import { parseCidrBlock, type CidrBlock } from '../lib/ip-address.ts';
import { ConfigError, faultLine } from './config-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables, for functions that each read some of them: to undefined where one is not set, or refused. */
export interface VariableReader {
  /** The value of a variable; undefined when it is not set or empty. */
  get(name: string): string | undefined;
  /** Notes a fault: reading goes on, so that the operator is told all of them. */
  refuse(name: string, fault: string, allowed: string): void;
}

/**
 * Reads an environment.
 *
 * @param read gives undefined only where it has refused something
 * @throws ConfigError with all that was refused
 */
export const withVariableReader = <T>(
  environment: Environment,
  read: (variables: VariableReader) => T | undefined,
): T => {
  const faults: string[] = [];
  const value = read({
    get: (name) => (environment[name] === '' ? undefined : environment[name]),
    refuse(...fault) {
      faults.push(faultLine(...fault));
    },
  });
  if (value === undefined || faults.length > 0) throw new ConfigError(faults);
  return value;
};

export const isProduction = (variables: VariableReader): boolean => variables.get('NODE_ENV') === 'production';

const LONGEST_QUOTE = 60;
/** A value for a message, not of a secret. */
export const quote = (value: string): string =>
  JSON.stringify(value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value);

/** A whole number in decimal digits. */
export const readInteger = (
  variables: VariableReader,
  name: string,
  least: number,
  most: number,
): number | undefined => {
  const text = variables.get(name);
  if (text === undefined) return undefined;
  const allowed = `an integer from ${least} to ${most}`;
  const value = Number(text);
  if (!/^\d+$/.test(text)) variables.refuse(name, `is ${quote(text)}, which is not a whole number`, allowed);
  else if (value < least || value > most) variables.refuse(name, `is ${quote(text)}, which is out of range`, allowed);
  else return value;
  return undefined;
};

export const readBoolean = (variables: VariableReader, name: string): boolean | undefined => {
  const text = variables.get(name);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text !== undefined) variables.refuse(name, `is ${quote(text)}`, 'true or false');
  return undefined;
};

export const readOneOf = <T extends string>(
  variables: VariableReader,
  name: string,
  allowed: readonly T[],
): T | undefined => {
  const text = variables.get(name);
  if (text === undefined) return undefined;
  const value = allowed.find((one) => one === text);
  if (value === undefined) variables.refuse(name, `is ${quote(text)}`, `one of ${allowed.join(', ')}`);
  return value;
};

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/;
/** A host to listen on: a name or an IP address. */
export const readHost = (variables: VariableReader, name: string): string | undefined => {
  const text = variables.get(name);
  if (text === undefined || HOST.test(text)) return text;
  variables.refuse(name, `is ${quote(text)}`, 'a host name or an IP address');
  return undefined;
};

/** A path in the file system, where no name holds a NUL character. */
export const readPath = (variables: VariableReader, name: string): string | undefined => {
  const text = variables.get(name);
  if (!text?.includes('\0')) return text;
  variables.refuse(name, 'holds a NUL character', 'a path of the file system');
  return undefined;
};

/** Comma-separated entries, trimmed; `place` names one in a message. */
export const commaSeparatedEntries = (text?: string): readonly { readonly entry: string; readonly place: string }[] =>
  text?.split(',').map((entry, index) => ({ entry: entry.trim(), place: `entry ${index + 1}` })) ?? [];

/** Comma-separated entries, parsed; empty when not set. @param parse gives undefined for an entry that is refused */
export const readList = <T>(
  variables: VariableReader,
  name: string,
  parse: (entry: string) => T | undefined,
  allowed: string,
  faultOf = (entry: string) => `is ${quote(entry)}`,
): readonly T[] =>
  commaSeparatedEntries(variables.get(name)).flatMap(({ entry, place }) => {
    const value = parse(entry);
    if (value !== undefined) return [value];
    variables.refuse(name, `${place} ${faultOf(entry)}`, allowed);
    return [];
  });

/** IP addresses and CIDR blocks, comma-separated. */
export const readAddressBlocks = (variables: VariableReader, name: string): readonly CidrBlock[] =>
  readList(variables, name, parseCidrBlock, 'IP addresses and CIDR blocks such as 10.0.0.0/8, comma-separated');
