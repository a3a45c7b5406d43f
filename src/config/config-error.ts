/** A configuration fault, in one line without secrets. */
export class ConfigError extends Error {
  constructor(line: string) {
    // A given value may hold line breaks.
    super(line.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
    this.name = 'ConfigError';
  }
}

/** @param fault what is wrong with the value; it must not repeat a value that may be secret */
export const configFault = (name: string, fault: string, allowed: string): ConfigError =>
  new ConfigError(`${name} ${fault}; allowed: ${allowed}`);
