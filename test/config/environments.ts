import { ConfigError, loadConfig, type Environment } from '../../src/config/config.ts';

export const HASH = 'ab'.repeat(32);
export const OTHER_HASH = 'cd'.repeat(32);
export const SECRET = 'a-secret-of-exactly-32-bytes-...';
export const production = {
  NODE_ENV: 'production',
  API_KEYS: `client:app:${HASH}`,
  JWT_SECRET: SECRET,
  CODE_SECRET: `${SECRET}!`,
  SMTP_URL: 'smtp://mail.example.com',
  SMS_WEBHOOK_URL: 'https://sms.example.com/send',
};

/** The one line with which a start in this environment fails. */
export const faultOf = (environment: Environment): string => {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('The configuration was accepted');
};
