import { ConfigError, loadConfig, type Environment } from '../../src/config/config.ts';

export const HASH = 'ab'.repeat(32);
export const OTHER_HASH = 'cd'.repeat(32);
export const SECRET = 'a-secret-of-exactly-32-bytes-...';
export const OTHER_SECRET = 'hV5m6nW0qB1rT8xYz2c4KdLfGj7sPaQe';
/** All that takes the place of the demo's. */
export const credentials = { API_KEYS: `client:app:${HASH}`, JWT_SECRET: SECRET, CODE_SECRET: OTHER_SECRET };
export const production = {
  ...credentials,
  NODE_ENV: 'production',
  SMTP_URL: 'smtps://mail.example.com',
  SMS_WEBHOOK_URL: 'https://sms.example.com/send',
};

/** The variables that the configuration reads. */
export const variablesAsked = (): ReadonlySet<string> => {
  const asked = new Set<string>();
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get(_target, name) {
        asked.add(String(name));
        return undefined;
      },
    },
  );
  loadConfig(environment);
  return asked;
};

/** The lines with which a start in this environment fails. */
export const faultsOf = (environment: Environment): readonly string[] => {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('The configuration was accepted');
};

/** The same in one text: one line where there is one fault. */
export const faultOf = (environment: Environment): string => faultsOf(environment).join('\n');
