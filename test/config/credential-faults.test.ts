import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Environment } from '../../src/config/config.ts';
import { DEMO_JWT_SECRET, demoApiKeys } from '../../src/config/demo.ts';
import { HASH, OTHER_HASH, SECRET, credentials, faultOf, faultsOf } from './environments.ts';

describe('a fault in the configured credentials', () => {
  const HTTP = 'an http:// or https:// URL without user and password';
  const NAMES = "1 to 128 characters out of A-Z a-z 0-9 . _ ~ | @ + = -, and not '.' or '..'";
  const CLAIMS = '1 to 200 visible ASCII characters, no registered claim, and not the name of another of these';
  const key = (text: string) => ({ ...credentials, API_KEYS: `client:app:${HASH},${text}` });
  const DEMO_ELSEWHERE =
    'where other machines could use the public credentials of the demo; allowed: a loopback address, credentials of your own, or ALLOW_DEMO=true';

  const faults: [Environment, string][] = [
    [key('app'), 'API_KEYS entry 2 does not have three parts; allowed: scope:name:sha256hex, comma-separated'],
    [key(''), 'API_KEYS entry 2 does not have three parts; allowed: scope:name:sha256hex, comma-separated'],
    [
      key(`client:b:${OTHER_HASH}:x`),
      'API_KEYS entry 2 does not have three parts; allowed: scope:name:sha256hex, comma-separated',
    ],
    [key(`admin:b:${OTHER_HASH}`), 'API_KEYS entry 2 has an unknown scope; allowed: the scopes client and internal'],
    [key(`client:b c:${OTHER_HASH}`), `API_KEYS entry 2 has a malformed name; allowed: ${NAMES}`],
    [key(`client:..:${OTHER_HASH}`), `API_KEYS entry 2 has a malformed name; allowed: ${NAMES}`],
    [key('client:b:my-plain-key'), 'API_KEYS entry 2 has a malformed hash; allowed: SHA-256 as 64 hexadecimal digits'],
    [
      key(`client:app:${OTHER_HASH}`),
      'API_KEYS entry 2 repeats the name of entry 1; allowed: each name once in a scope',
    ],
    [key(`internal:b:${HASH.toUpperCase()}`), 'API_KEYS entry 2 repeats the hash of entry 1; allowed: each key once'],
    [
      { ...credentials, JWT_SECRET: SECRET.slice(1) },
      'JWT_SECRET is shorter than 32 bytes; allowed: at least 32 bytes',
    ],
    [
      { ...credentials, JWKS_URL: 'https://id.example.com' },
      'JWT_SECRET is set beside JWKS_URL; allowed: one of the two',
    ],
    [{ ...credentials, JWT_SECRET: '', JWKS_URL: 'id.example.com' }, `JWKS_URL is not an HTTP URL; allowed: ${HTTP}`],
    [{ HOST: '0.0.0.0' }, `HOST is "0.0.0.0", ${DEMO_ELSEWHERE}`],
    [{ HOST: '::' }, `HOST is "::", ${DEMO_ELSEWHERE}`],
    [{ HOST: 'hiring.example.com', ALLOW_DEMO: 'false' }, `HOST is "hiring.example.com", ${DEMO_ELSEWHERE}`],
    [{ ...credentials, JWT_SECRET: DEMO_JWT_SECRET, HOST: '192.168.1.5' }, `HOST is "192.168.1.5", ${DEMO_ELSEWHERE}`],
    [{ ...credentials, CODE_SECRET: DEMO_JWT_SECRET, HOST: '0.0.0.0' }, `HOST is "0.0.0.0", ${DEMO_ELSEWHERE}`],
    [
      { ...credentials, API_KEYS: `client:app:${demoApiKeys[0]?.sha256 ?? ''}`, HOST: '0.0.0.0' },
      `HOST is "0.0.0.0", ${DEMO_ELSEWHERE}`,
    ],
    [{ ...credentials, JWT_ROLES_CLAIM: 'sub' }, `JWT_ROLES_CLAIM is "sub"; allowed: ${CLAIMS}`],
    [{ ...credentials, JWT_OFFICE_CLAIM: 'roles' }, `JWT_OFFICE_CLAIM is "roles"; allowed: ${CLAIMS}`],
    [{ ...credentials, JWT_PROFESSIONAL_CLAIM: 'a b' }, `JWT_PROFESSIONAL_CLAIM is "a b"; allowed: ${CLAIMS}`],
    [{ ALLOW_DEMO: 'yes' }, 'ALLOW_DEMO is "yes"; allowed: true or false'],
  ];
  for (const [environment, message] of faults)
    it(`is told in one line: ${message}`, () => {
      expect(faultOf(environment)).to.equal(message);
    });

  it('is told for every entry of API_KEYS, and for every secret', () => {
    const environment = {
      API_KEYS: `admin:a:${HASH},client:b:plain,client:b:${HASH},internal:b:${HASH}`,
      JWT_SECRET: 'short',
      CODE_SECRET: createHash('sha256').digest('hex'),
    };

    expect(faultsOf(environment)).to.deep.equal([
      'API_KEYS entry 1 has an unknown scope; allowed: the scopes client and internal',
      'API_KEYS entry 2 has a malformed hash; allowed: SHA-256 as 64 hexadecimal digits',
      'API_KEYS entry 4 repeats the hash of entry 3; allowed: each key once',
      'JWT_SECRET is shorter than 32 bytes; allowed: at least 32 bytes',
    ]);
  });
});

describe('credentials of which some are given', () => {
  const rest = 'is not set; allowed: all credentials, or none of them for the demo';
  const { API_KEYS, JWT_SECRET, CODE_SECRET } = credentials;
  for (const [given, missing] of [
    [{ API_KEYS }, ['JWT_SECRET or JWKS_URL', 'CODE_SECRET']],
    [{ JWT_SECRET }, ['API_KEYS', 'CODE_SECRET']],
    [{ JWKS_URL: 'https://id.example.com' }, ['API_KEYS', 'CODE_SECRET']],
    [{ CODE_SECRET }, ['API_KEYS', 'JWT_SECRET or JWKS_URL']],
    [{ API_KEYS, JWT_SECRET, HOST: '0.0.0.0' }, ['CODE_SECRET']],
  ] as const)
    it(`are refused, and what is missing is named: ${Object.keys(given).join(' and ')}`, () => {
      expect(faultsOf(given)).to.deep.equal(missing.map((name) => `${name} ${rest}`));
    });
});
