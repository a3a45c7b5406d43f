import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, faultLine } from './config-error.ts';
import type { Environment } from './values.ts';

/**
 * The environment and a directory's `.env` file, if any. A variable of the environment wins, even an empty one.
 *
 * @throws ConfigError for a `.env` that cannot be read
 */
export const withEnvFile = (environment: Environment, directory: string): Environment => {
  const file = readIfThere(join(directory, '.env'));
  return file === undefined ? environment : { ...parseEnv(file), ...environment };
};

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT') return undefined;
    throw new ConfigError([faultLine('.env', `cannot be read (${code})`, 'a file that can be read, or none')]);
  }
};
