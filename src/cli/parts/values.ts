import { InvalidArgumentError } from 'commander';

/** Readers of option values. Each throws InvalidArgumentError, which says what is allowed. */

export const integer = (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
  return value;
};

export const hours = (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || value < least || value > most)
    throw new InvalidArgumentError(`It must be a number of hours from ${least} to ${most}.`);
  return value;
};

export const identifier = (text: string) => {
  if (!/^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/.test(text))
    throw new InvalidArgumentError(
      "It must be 1 to 128 characters out of A-Z a-z 0-9 . _ ~ -, and not '.' or '..'.",
    );
  return text;
};
