import { parseAddressBlock, type AddressBlock } from '../lib/ip-address.ts';
import { configFault } from './config-error.ts';

/** The value of a variable; undefined when it is not set or empty. */
export type Variables = (name: string) => string | undefined;
export type Environment = Readonly<Record<string, string | undefined>>;

export const variablesOf =
  (environment: Environment): Variables =>
  (name) =>
    environment[name] === '' ? undefined : environment[name];

const LONGEST_QUOTE = 60;
/** A value for a message, not of a secret. */
export const quote = (value: string): string =>
  JSON.stringify(value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value);

/** A whole number in decimal digits. */
export const readInteger = (
  variables: Variables,
  name: string,
  least: number,
  most: number,
): number | undefined => {
  const text = variables(name);
  if (text === undefined) return undefined;
  const allowed = `an integer from ${least} to ${most}`;
  if (!/^\d+$/.test(text)) throw configFault(name, `is ${quote(text)}, which is not a whole number`, allowed);
  const value = Number(text);
  if (value < least || value > most)
    throw configFault(name, `is ${quote(text)}, which is out of range`, allowed);
  return value;
};

export const readBoolean = (variables: Variables, name: string): boolean | undefined => {
  const text = variables(name);
  if (text === undefined) return undefined;
  if (text !== 'true' && text !== 'false') throw configFault(name, `is ${quote(text)}`, 'true or false');
  return text === 'true';
};

export const readOneOf = <T extends string>(
  variables: Variables,
  name: string,
  allowed: readonly T[],
): T | undefined => {
  const text = variables(name);
  if (text === undefined) return undefined;
  const value = allowed.find((one) => one === text);
  if (value === undefined) throw configFault(name, `is ${quote(text)}`, `one of ${allowed.join(', ')}`);
  return value;
};

/** A host to listen on: a name or an IP address. */
export const readHost = (variables: Variables, name: string): string | undefined => {
  const text = variables(name);
  if (
    text !== undefined &&
    !/^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/.test(text)
  )
    throw configFault(name, `is ${quote(text)}`, 'a host name or an IP address');
  return text;
};

/** A path in the file system. */
export const readPath = (variables: Variables, name: string): string | undefined => {
  const text = variables(name);
  if (text?.includes('\0')) throw configFault(name, 'holds a NUL character', 'a path of the file system');
  return text;
};

/** Comma-separated entries, trimmed; `place` names one in a message. */
export const entriesOf = (text: string): { readonly entry: string; readonly place: string }[] =>
  text.split(',').map((entry, index) => ({ entry: entry.trim(), place: `entry ${index + 1}` }));

/** IP addresses and CIDR blocks, comma-separated. */
export const readAddressBlocks = (variables: Variables, name: string): readonly AddressBlock[] => {
  const text = variables(name);
  if (text === undefined) return [];
  return entriesOf(text).map(({ entry, place }) => {
    const block = parseAddressBlock(entry);
    if (!block)
      throw configFault(
        name,
        `${place} is ${quote(entry)}`,
        'IP addresses and CIDR blocks such as 10.0.0.0/8, comma-separated',
      );
    return block;
  });
};
