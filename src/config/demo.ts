import { createHash } from 'node:crypto';
import type { ApiKey } from '../http/api-keys.ts';

/** Public defaults for trying the service out; production accepts none of them. */

/** The demo's API keys in plain text, by scope. */
export const demoKeys = { client: 'demo-client-key', internal: 'demo-internal-key' } as const;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const demoApiKeys: readonly ApiKey[] = [
  { scope: 'client', name: 'demo-client', sha256: sha256(demoKeys.client) },
  { scope: 'internal', name: 'demo-internal', sha256: sha256(demoKeys.internal) },
];

export const DEMO_JWT_SECRET = 'demo-jwt-secret-that-everybody-can-read';
export const DEMO_CODE_SECRET = 'demo-code-secret-that-everybody-can-read';
