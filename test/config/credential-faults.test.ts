import { expect } from 'chai';
import type { Environment } from '../../src/config/config.ts';
import { DEMO_CODE_SECRET, DEMO_JWT_SECRET, demoApiKeys } from '../../src/config/demo.ts';
import { HASH, OTHER_HASH, SECRET, faultOf, production } from './environments.ts';

describe('a fault in the configured credentials', () => {
  const HTTP = 'an http:// or https:// URL without user and password';
  const NAMES = "1 to 128 characters out of A-Z a-z 0-9 . _ ~ -, and not '.' or '..'";
  const key = (text: string) => ({ API_KEYS: `client:app:${HASH},${text}` });

  const faults: [Environment, string][] = [
    [
      key('app'),
      'API_KEYS entry 2 does not have three parts; allowed: scope:name:sha256hex, comma-separated',
    ],
    [key(''), 'API_KEYS entry 2 does not have three parts; allowed: scope:name:sha256hex, comma-separated'],
    [
      key(`client:b:${OTHER_HASH}:x`),
      'API_KEYS entry 2 does not have three parts; allowed: scope:name:sha256hex, comma-separated',
    ],
    [
      key(`admin:b:${OTHER_HASH}`),
      'API_KEYS entry 2 has an unknown scope; allowed: the scopes client and internal',
    ],
    [key(`client:b c:${OTHER_HASH}`), `API_KEYS entry 2 has a malformed name; allowed: ${NAMES}`],
    [key(`client:..:${OTHER_HASH}`), `API_KEYS entry 2 has a malformed name; allowed: ${NAMES}`],
    [
      key('client:b:my-plain-key'),
      'API_KEYS entry 2 has a malformed hash; allowed: SHA-256 as 64 hexadecimal digits',
    ],
    [
      key(`client:app:${OTHER_HASH}`),
      'API_KEYS entry 2 repeats the name of entry 1; allowed: each name once in a scope',
    ],
    [
      key(`internal:b:${HASH.toUpperCase()}`),
      'API_KEYS entry 2 repeats the hash of entry 1; allowed: each key once',
    ],
    [{ JWT_SECRET: SECRET.slice(1) }, 'JWT_SECRET is shorter than 32 bytes; allowed: at least 32 bytes'],
    [
      { JWT_SECRET: SECRET, JWKS_URL: 'https://id.example.com' },
      'JWT_SECRET is set beside JWKS_URL; allowed: one of the two',
    ],
    [{ JWKS_URL: 'id.example.com' }, `JWKS_URL is not an HTTP URL; allowed: ${HTTP}`],
    [
      { ...production, CODE_SECRET: 'short' },
      'CODE_SECRET is shorter than 32 bytes; allowed: at least 32 bytes',
    ],
    [
      { ...production, JWT_SECRET: DEMO_JWT_SECRET },
      'JWT_SECRET is the secret of the demo; allowed: in production a secret of your own',
    ],
    [
      { ...production, CODE_SECRET: DEMO_CODE_SECRET },
      'CODE_SECRET is the secret of the demo; allowed: in production a secret of your own',
    ],
    [
      { ...production, API_KEYS: `client:app:${demoApiKeys[0]?.sha256 ?? ''}` },
      'API_KEYS entry 1 is a key of the demo; allowed: in production keys of your own',
    ],
    [
      { ...production, SMTP_URL: '' },
      'SMTP_URL is not set; allowed: in production each of them must be given',
    ],
    [
      { NODE_ENV: 'production' },
      'API_KEYS, JWT_SECRET or JWKS_URL, CODE_SECRET, SMTP_URL, SMS_WEBHOOK_URL are not set; allowed: in production each of them must be given',
    ],
  ];
  for (const [environment, message] of faults)
    it(`is told in one line: ${message}`, () => {
      expect(faultOf(environment)).to.equal(message);
    });
});
