import { hash, timingSafeEqual } from 'node:crypto';
import type { Caller, ApiKeyScope } from '../access/access.ts';

/** A configured API key; only its hash is known. */
export interface ApiKey {
  readonly scope: ApiKeyScope;
  readonly name: string;
  /** Lower-case hex. */
  readonly sha256: string;
}

export type FindApiKey = (key: string) => Caller['key'] | undefined;

/** Longer texts are not hashed: a hostile client could send thousands. */
const MAX_KEY_LENGTH = 1_024;

/** Makes the function that finds an API key by its text; undefined for an unknown one. */
export const createApiKeyFinder = (keys: readonly ApiKey[]): FindApiKey => {
  const hashed = keys.map(({ scope, name, sha256 }) => ({ key: { scope, name }, hash: Buffer.from(sha256, 'hex') }));
  return (key) => {
    if (key === '' || key.length > MAX_KEY_LENGTH) return undefined;
    const digest = hash('sha256', key, 'buffer');
    // All are compared, so that the time tells a client nothing.
    const [found] = hashed.filter((one) => timingSafeEqual(one.hash, digest));
    return found?.key;
  };
};
