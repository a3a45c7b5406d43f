import { createHash, randomBytes } from 'node:crypto';
import { signToken, type TokenClaims } from '../src/cli/token.ts';

const newKey = () => randomBytes(32).toString('hex');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const keys = { client: newKey(), internal: newKey() };
/** What bearer tokens are signed with. */
export const tokenSecret = newKey();

/** Configuration of the service, made anew for each run: nothing of the demo, and limits that no load reaches. */
export const serviceEnvironment: Readonly<Record<string, string>> = {
  API_KEYS: `client:bench:${sha256(keys.client)},internal:bench:${sha256(keys.internal)}`,
  JWT_SECRET: tokenSecret,
  CODE_SECRET: newKey(),
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_ANONYMOUS_PER_SECOND: '0',
  QUOTA_EVENTS_PER_DAY: '0',
  QUOTA_IDEMPOTENCY_KEYS_PER_DAY: '0',
};

/** Longer than any run. */
const HOURS = 24;

/** The headers of a request by a user. */
export const headersFor = async (claims: TokenClaims): Promise<Record<string, string>> => ({
  'X-API-Key': keys.client,
  Authorization: `Bearer ${await signToken({ kind: 'secret', secret: tokenSecret }, claims, HOURS)}`,
});

/** The headers of a request by the rest of the business. */
export const internalHeaders: Readonly<Record<string, string>> = { 'X-API-Key': keys.internal };
