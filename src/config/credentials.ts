import { scopes } from '../access/access.ts';
import { DEMO_CODE_SECRET, DEMO_JWT_SECRET, demoApiKeys } from './demo.ts';
import type { ApiKey } from '../http/api-keys.ts';
import type { TokenSettings } from '../http/tokens.ts';
import { configFault } from './config-error.ts';
import { readHttpUrl } from './urls.ts';
import { entriesOf, type Variables } from './values.ts';

const ENTRIES = 'scope:name:sha256hex, comma-separated';
const IDENTIFIER = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;
const isDemoHash = (hash: string) => demoApiKeys.some(({ sha256 }) => sha256 === hash);

/** Messages name an entry by number: a key in plain text may stand in the hash's place. */
const readApiKey = (entry: string, place: string): ApiKey => {
  const [scopeText, name, hash, ...more] = entry.split(':');
  if (name === undefined || hash === undefined || more.length > 0)
    throw configFault('API_KEYS', `${place} does not have three parts`, ENTRIES);
  const scope = scopes.find((one) => one === scopeText);
  if (!scope)
    throw configFault('API_KEYS', `${place} has an unknown scope`, `the scopes ${scopes.join(' and ')}`);
  if (!IDENTIFIER.test(name))
    throw configFault(
      'API_KEYS',
      `${place} has a malformed name`,
      "1 to 128 characters out of A-Z a-z 0-9 . _ ~ -, and not '.' or '..'",
    );
  if (!/^[0-9a-f]{64}$/i.test(hash))
    throw configFault('API_KEYS', `${place} has a malformed hash`, 'SHA-256 as 64 hexadecimal digits');
  return { scope, name, sha256: hash.toLowerCase() };
};

/** The configured API keys, or the demo's. */
export const readApiKeys = (variables: Variables, isProduction: boolean): readonly ApiKey[] => {
  const text = variables('API_KEYS');
  if (text === undefined) return demoApiKeys;
  const keys: ApiKey[] = [];
  for (const { entry, place } of entriesOf(text)) {
    const key = readApiKey(entry, place);
    const sameName = keys.findIndex(({ scope, name }) => scope === key.scope && name === key.name);
    if (sameName >= 0)
      throw configFault(
        'API_KEYS',
        `${place} repeats the name of entry ${sameName + 1}`,
        'each name once in a scope',
      );
    const sameHash = keys.findIndex(({ sha256 }) => sha256 === key.sha256);
    if (sameHash >= 0)
      throw configFault('API_KEYS', `${place} repeats the hash of entry ${sameHash + 1}`, 'each key once');
    if (isProduction && isDemoHash(key.sha256))
      throw configFault('API_KEYS', `${place} is a key of the demo`, 'in production keys of your own');
    keys.push(key);
  }
  return keys;
};

const MIN_SECRET_BYTES = 32;

const readSecret = (
  variables: Variables,
  name: string,
  demo: string,
  leastBytes: number,
  isProduction: boolean,
): string => {
  const text = variables(name);
  if (text === undefined) return demo;
  if (Buffer.byteLength(text) < leastBytes)
    throw configFault(name, `is shorter than ${leastBytes} bytes`, `at least ${leastBytes} bytes`);
  if (isProduction && text === demo)
    throw configFault(name, 'is the secret of the demo', 'in production a secret of your own');
  return text;
};

/** Outside production a short secret will do. */
export const readCodeSecret = (variables: Variables, isProduction: boolean): string =>
  readSecret(variables, 'CODE_SECRET', DEMO_CODE_SECRET, isProduction ? MIN_SECRET_BYTES : 1, isProduction);

export const readTokenSettings = (variables: Variables, isProduction: boolean): TokenSettings => {
  const claims = { issuer: variables('JWT_ISSUER'), audience: variables('JWT_AUDIENCE') };
  const url = readHttpUrl(variables, 'JWKS_URL');
  if (!url)
    return {
      kind: 'secret',
      secret: readSecret(variables, 'JWT_SECRET', DEMO_JWT_SECRET, MIN_SECRET_BYTES, isProduction),
      ...claims,
    };
  if (variables('JWT_SECRET') !== undefined)
    throw configFault('JWT_SECRET', 'is set beside JWKS_URL', 'one of the two');
  return { kind: 'jwks', url, ...claims };
};
