import { apiKeyScopes } from '../access/access.ts';
import {
  DEMO_CODE_SECRET,
  DEMO_CONSOLE_SECRET,
  DEMO_JWT_SECRET,
  DEMO_WEBHOOK_SECRET,
  demoApiKeys,
  isDemoApiKey,
  isDemoSecret,
  sha256,
} from './demo.ts';
import type { ApiKey } from '../http/api-keys.ts';
import { DEFAULT_CLAIM_NAMES, type ClaimNames, type TokenSettings } from '../http/tokens.ts';
import { IDENTIFIER_PATTERN, IDENTIFIER_RULE } from '../schema/schema.ts';
import { estimateEntropyBits } from './secret-strength.ts';
import { readSecureUrl } from './urls.ts';
import { commaSeparatedEntries, isProduction, quote, type VariableReader } from './values.ts';

const ENTRIES = 'scope:name:sha256hex, comma-separated';

const MIN_SECRET_BYTES = 32;
const MIN_SECRET_BITS = 128;
const RANDOM = 'random text, as openssl rand -base64 48 prints it';

/** In the order in which they are read. Outside production some may be short. */
const SECRETS = {
  JWT_SECRET: { demo: DEMO_JWT_SECRET, leastBytes: MIN_SECRET_BYTES },
  CODE_SECRET: { demo: DEMO_CODE_SECRET, leastBytes: 1 },
  WEBHOOK_SECRET: { demo: DEMO_WEBHOOK_SECRET, leastBytes: 1 },
  CONSOLE_SESSION_SECRET: { demo: DEMO_CONSOLE_SECRET, leastBytes: MIN_SECRET_BYTES },
} as const;
type SecretName = keyof typeof SECRETS;
const secretNames = Object.keys(SECRETS);

/** Messages name an entry by number: a key in plain text may stand in the hash's place. */
const readApiKey = (variables: VariableReader, entry: string, place: string): ApiKey | undefined => {
  const refuse = (fault: string, allowed: string) => variables.refuse('API_KEYS', `${place} ${fault}`, allowed);
  const [scopeText, name, digits, ...more] = entry.split(':');
  const scope = apiKeyScopes.find((one) => one === scopeText);
  if (name === undefined || digits === undefined || more.length > 0) refuse('does not have three parts', ENTRIES);
  else if (!scope) refuse('has an unknown scope', `the scopes ${apiKeyScopes.join(' and ')}`);
  else if (!new RegExp(IDENTIFIER_PATTERN).test(name)) refuse('has a malformed name', IDENTIFIER_RULE);
  else if (!/^[0-9a-f]{64}$/i.test(digits)) refuse('has a malformed hash', 'SHA-256 as 64 hexadecimal digits');
  else return { scope, name, sha256: digits.toLowerCase() };
  return undefined;
};

/** In production a key is none of the demo's, and not also a secret: one that leaks must not open the other's door. */
const refuseReusedApiKey = (variables: VariableReader, key: ApiKey, place: string): void => {
  if (isDemoApiKey(key))
    variables.refuse('API_KEYS', `${place} is a key or a secret of the demo`, 'in production keys of your own');
  for (const name of secretNames)
    if (sha256(variables.get(name) ?? '') === key.sha256)
      variables.refuse('API_KEYS', `${place} is the hash of ${name}`, 'in production a key of its own');
};

/** The configured API keys, or the demo's. */
export const readApiKeys = (variables: VariableReader): readonly ApiKey[] => {
  const text = variables.get('API_KEYS');
  if (text === undefined) return demoApiKeys;
  const keys: (ApiKey | undefined)[] = [];
  for (const { entry, place } of commaSeparatedEntries(text)) {
    const key = readApiKey(variables, entry, place);
    if (key) {
      const sameName = keys.findIndex((one) => one?.scope === key.scope && one.name === key.name);
      const sameHash = keys.findIndex((one) => one?.sha256 === key.sha256);
      const refuse = (what: string, other: number, allowed: string) =>
        variables.refuse('API_KEYS', `${place} repeats the ${what} of entry ${other + 1}`, allowed);
      if (sameName >= 0) refuse('name', sameName, 'each name once in a scope');
      if (sameHash >= 0) refuse('hash', sameHash, 'each key once');
      if (isProduction(variables)) refuseReusedApiKey(variables, key, place);
    }
    keys.push(key);
  }
  return keys.filter((key) => key !== undefined);
};

/** A secret, or the demo's. In production it differs from those read before it: one that leaks opens no other door. */
export const readSecret = (variables: VariableReader, name: SecretName): string => {
  const { demo, leastBytes: usualBytes } = SECRETS[name];
  const leastBytes = isProduction(variables) ? MIN_SECRET_BYTES : usualBytes;
  const secret = variables.get(name) ?? demo;
  const isGiven = variables.get(name) !== undefined;
  if (isGiven && Buffer.byteLength(secret) < leastBytes)
    variables.refuse(name, `is shorter than ${leastBytes} bytes`, `at least ${leastBytes} bytes`);
  else if (isGiven && isProduction(variables)) {
    if (isDemoSecret(secret)) variables.refuse(name, 'is a secret of the demo', 'in production a secret of your own');
    else if (estimateEntropyBits(secret) < MIN_SECRET_BITS)
      variables.refuse(name, 'can be guessed', `in production ${MIN_SECRET_BITS} bits: ${RANDOM}`);
  }
  for (const other of secretNames.slice(0, secretNames.indexOf(name)))
    if (isProduction(variables) && secret === variables.get(other))
      variables.refuse(name, `is the same as ${other}`, 'in production a secret of its own');
  return secret;
};

/** What webhooks are signed with; undefined: they are off. */
export const readWebhookSecret = (variables: VariableReader, isDemo: boolean): string | undefined =>
  isDemo || variables.get('WEBHOOK_SECRET') !== undefined ? readSecret(variables, 'WEBHOOK_SECRET') : undefined;

const CLAIM_VARIABLES = {
  roles: 'JWT_ROLES_CLAIM',
  professional: 'JWT_PROFESSIONAL_CLAIM',
  office: 'JWT_OFFICE_CLAIM',
} as const;

/** Claims with a meaning of their own (RFC 7519, 4.1). */
const REGISTERED_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/** The names of the claims, as an issuer can set them: often URLs. */
const readClaimNames = (variables: VariableReader): ClaimNames => {
  const nameOf = (claim: keyof ClaimNames) => variables.get(CLAIM_VARIABLES[claim]) ?? DEFAULT_CLAIM_NAMES[claim];
  const names = { roles: nameOf('roles'), professional: nameOf('professional'), office: nameOf('office') };
  const taken = new Set(REGISTERED_CLAIMS);
  for (const claim of ['roles', 'professional', 'office'] as const) {
    const name = names[claim];
    if (taken.has(name) || !/^[\x21-\x7e]{1,200}$/.test(name))
      variables.refuse(
        CLAIM_VARIABLES[claim],
        `is ${quote(name)}`,
        '1 to 200 visible ASCII characters, no registered claim, and not the name of another of these',
      );
    taken.add(name);
  }
  return names;
};

/** In production tokens must expire, and those of a JWKS be meant for this service: others may get theirs there too. */
export const readTokenSettings = (variables: VariableReader): TokenSettings | undefined => {
  const expected = {
    issuer: variables.get('JWT_ISSUER'),
    audience: variables.get('JWT_AUDIENCE'),
    mustExpire: isProduction(variables),
    claims: readClaimNames(variables),
  };
  if (variables.get('JWKS_URL') === undefined)
    return { kind: 'secret', secret: readSecret(variables, 'JWT_SECRET'), ...expected };
  const url = readSecureUrl(variables, 'JWKS_URL');
  if (variables.get('JWT_SECRET') !== undefined)
    variables.refuse('JWT_SECRET', 'is set beside JWKS_URL', 'one of the two');
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE'])
    if (isProduction(variables) && variables.get(name) === undefined)
      variables.refuse(name, 'is not set beside JWKS_URL', 'in production what tokens must carry');
  return url && { kind: 'jwks', url, ...expected };
};
