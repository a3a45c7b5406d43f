/** What is wrong with a configuration: a line for each fault, without secrets. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    // A given value may hold line breaks.
    const lines = faults.map((fault) => fault.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
    super(lines.join('\n'));
    this.name = 'ConfigError';
    this.faults = lines;
  }
}

/** @param fault what is wrong with the value; it must not repeat a value that may be secret */
export const faultLine = (name: string, fault: string, allowed: string): string =>
  `${name} ${fault}; allowed: ${allowed}`;
