import { hash, timingSafeEqual } from 'node:crypto';
import type { Caller, Scope } from '../access.ts';
import { unauthorized } from '../errors.ts';

/** An API key as it is configured: the key itself is not known here. */
export interface ApiKey {
  readonly scope: Scope;
  readonly name: string;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Makes the function that finds whose key it is; a missing or unknown key is a 401. */
export const createKeyFinder = (keys: readonly ApiKey[]): ((given: string) => Caller['key']) => {
  const hashed = keys.map(({ scope, name, sha256 }) => ({
    key: { scope, name },
    hash: Buffer.from(sha256, 'hex'),
  }));
  return (given) => {
    if (given === '') throw unauthorized('The header X-API-Key is missing', 'ApiKey');
    const digest = hash('sha256', given, 'buffer');
    // All are compared, so that the time tells nothing.
    const [found] = hashed.filter((one) => timingSafeEqual(one.hash, digest));
    if (!found) throw unauthorized('The header X-API-Key holds no known key', 'ApiKey');
    return found.key;
  };
};
