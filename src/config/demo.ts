import { hash } from 'node:crypto';
import type { ApiKey } from '../http/api-keys.ts';
import type { TokenSettings } from '../http/tokens.ts';

/** Public defaults for trying the service out, on this machine alone; production accepts none of them. */

/** The demo's API keys in plain text, by scope. */
export const demoPlaintextApiKeys = { client: 'demo-client-key', internal: 'demo-internal-key' } as const;

export const sha256 = (text: string): string => hash('sha256', text, 'hex');

export const demoApiKeys: readonly ApiKey[] = [
  { scope: 'client', name: 'demo-client', sha256: sha256(demoPlaintextApiKeys.client) },
  { scope: 'internal', name: 'demo-internal', sha256: sha256(demoPlaintextApiKeys.internal) },
];

export const DEMO_JWT_SECRET = 'demo-jwt-secret-that-everybody-can-read';
export const DEMO_CODE_SECRET = 'demo-code-secret-that-everybody-can-read';
export const DEMO_WEBHOOK_SECRET = 'demo-webhook-secret-that-everybody-can-read';
export const DEMO_CONSOLE_SECRET = 'demo-console-secret-that-everybody-can-read';

/** All that everyone can read: none of it is a secret, whatever it is given for. */
const publishedSecrets: readonly string[] = [
  ...Object.values(demoPlaintextApiKeys),
  DEMO_JWT_SECRET,
  DEMO_CODE_SECRET,
  DEMO_WEBHOOK_SECRET,
  DEMO_CONSOLE_SECRET,
];

export const isDemoSecret = (text: string): boolean => publishedSecrets.includes(text);
export const isDemoApiKey = (key: ApiKey): boolean => publishedSecrets.some((text) => sha256(text) === key.sha256);

export interface ConfiguredCredentials {
  readonly apiKeys: readonly ApiKey[];
  /** Undefined where they are refused. */
  readonly tokens: TokenSettings | undefined;
  readonly codeSecret: string;
  /** Undefined: webhooks are off. */
  readonly webhookSecret: string | undefined;
  /** Undefined: the console is off. */
  readonly console: { readonly sessionSecret: string } | undefined;
}

/** Whether a credential of the demo is in force, as a default or because it was given. */
export const holdsDemoCredential = ({
  apiKeys,
  tokens,
  codeSecret,
  webhookSecret = '',
  console,
}: ConfiguredCredentials): boolean =>
  apiKeys.some(isDemoApiKey) ||
  (tokens?.kind === 'secret' && isDemoSecret(tokens.secret)) ||
  isDemoSecret(codeSecret) ||
  isDemoSecret(webhookSecret) ||
  isDemoSecret(console?.sessionSecret ?? '');
