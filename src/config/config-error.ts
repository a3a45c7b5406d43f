/** A fault in the configuration, told in one line that holds no secret. */
export class ConfigError extends Error {
  constructor(line: string) {
    // What was given may hold line breaks.
    super(line.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
    this.name = 'ConfigError';
  }
}

/** @param fault what is wrong with the value; it must not repeat a value that may be secret */
export const configFault = (name: string, fault: string, allowed: string): ConfigError =>
  new ConfigError(`${name} ${fault}; allowed: ${allowed}`);
