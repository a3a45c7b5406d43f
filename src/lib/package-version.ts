import { readFileSync } from 'node:fs';

const read = (): string => {
  const named: unknown = JSON.parse(readFileSync(new URL(import.meta.resolve('#package.json')), 'utf8'));
  const version = typeof named === 'object' && named !== null && 'version' in named ? named.version : undefined;
  if (typeof version !== 'string') throw new Error('package.json names no version');
  return version;
};

let version: string | undefined;

/** The version of this code, as its package names it; the file is read once, for the first answer that says it. */
export const readPackageVersion = (): string => (version ??= read());
