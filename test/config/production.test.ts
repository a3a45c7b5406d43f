import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { loadConfig, type Environment } from '../../src/config/config.ts';
import { DEMO_CODE_SECRET, DEMO_JWT_SECRET, DEMO_WEBHOOK_SECRET, demoApiKeys } from '../../src/config/demo.ts';
import { HASH, OTHER_SECRET, SECRET, credentials, faultOf, faultsOf, production } from './environments.ts';

const jwks = {
  JWT_SECRET: '',
  JWKS_URL: 'https://id.example.com/jwks',
  JWT_ISSUER: 'https://id.example.com',
  JWT_AUDIENCE: 'hiring',
};
const servers = {
  EVENT_STORE_URL: 'esdb://user:changeit@es:2113',
  READ_MODEL_URL: 'mongodb://user:changeit@mongo/hiring?tls=true',
};
/** 16 random bytes. */
const HEXADECIMAL = '9f86d081884c7d659a2feaa0c55ad015';

const plaintext = (name: string, encrypted: string) =>
  `${name} reaches another machine without TLS, or without checking its certificate; allowed: in production ${encrypted}, a loopback address, or ALLOW_PLAINTEXT=true`;
const ESDB = plaintext('EVENT_STORE_URL', 'tls=true, as without the option');
const MONGO = plaintext('READ_MODEL_URL', 'tls=true');
const SMTP = plaintext('SMTP_URL', 'smtps:// or requireTLS=true');

describe('a production', () => {
  const accepted: readonly (readonly [string, Environment])[] = [
    ['is complete', {}],
    ['listens for other machines', { HOST: '0.0.0.0' }],
    ['takes a JWKS URL', jwks],
    ['takes a JWKS URL of this machine', { ...jwks, JWKS_URL: 'http://127.0.0.1:9000/jwks' }],
    ['takes an SMS webhook of this machine', { SMS_WEBHOOK_URL: 'http://[::1]:9000/' }],
    ['takes secrets of 16 random bytes in hexadecimal', { CODE_SECRET: HEXADECIMAL }],
    ['takes servers that are reached by TLS', servers],
    ['takes MongoDB by its SRV record', { ...servers, READ_MODEL_URL: 'mongodb+srv://mongo.example.com/hiring' }],
    [
      'takes servers of this machine without TLS',
      {
        EVENT_STORE_URL: 'esdb://127.0.0.1:2113,localhost:2114?tls=false',
        READ_MODEL_URL: 'mongodb://[::1]:27017,%2Ftmp%2Fmongodb-27017.sock/hiring',
        SMTP_URL: 'smtp://localhost',
      },
    ],
    ['takes a mail server that must begin TLS', { SMTP_URL: 'smtp://mail.example.com?requireTLS=true' }],
    [
      'takes servers without TLS with ALLOW_PLAINTEXT=true',
      {
        ALLOW_PLAINTEXT: 'true',
        EVENT_STORE_URL: 'esdb://es:2113?tls=false',
        READ_MODEL_URL: 'mongodb://mongo/hiring',
        SMTP_URL: 'smtp://mail.example.com',
      },
    ],
  ];
  for (const [name, given] of accepted)
    it(name, () => {
      expect(loadConfig({ ...production, ...given })).to.include({ isDemo: false });
    });

  it('takes only tokens that expire', () => {
    expect(loadConfig(production).tokens.mustExpire).to.equal(true);
    expect(loadConfig({ ...production, ...jwks }).tokens.mustExpire).to.equal(true);
  });

  it('has webhooks only where they have a secret', () => {
    expect(loadConfig(production).webhookSecret).to.equal(undefined);
    expect(loadConfig({ ...production, WEBHOOK_SECRET: HEXADECIMAL }).webhookSecret).to.equal(HEXADECIMAL);
  });

  it('begins an event log only when told', () => {
    const id = '0199f3a2-5c1e-7b44-9d0f-2a6f6f1f9c11';
    const initPolicyOf = (more: Environment) => loadConfig({ ...production, ...more }).initPolicy;
    expect(initPolicyOf({})).to.deep.equal({ kind: 'on request' });
    expect(initPolicyOf({ EVENT_LOG_INIT: 'true' })).to.deep.equal({ kind: 'now' });
    expect(initPolicyOf({ EVENT_LOG_ID: id })).to.deep.equal({ kind: 'never', id });
  });

  const needed = 'is not set; allowed: in production it must be given';
  it('has none of the defaults of the demo, and names all that is missing', () => {
    expect(faultsOf({ NODE_ENV: 'production', ALLOW_DEMO: 'true' })).to.deep.equal(
      ['API_KEYS', 'JWT_SECRET or JWKS_URL', 'CODE_SECRET', 'SMTP_URL', 'SMS_WEBHOOK_URL'].map(
        (name) => `${name} ${needed}`,
      ),
    );
  });

  const GUESSED = 'can be guessed; allowed: in production 128 bits: random text, as openssl rand -base64 48 prints it';
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const refused: readonly (readonly [Environment, string])[] = [
    [{ SMTP_URL: '' }, `SMTP_URL ${needed}`],
    [{ CODE_SECRET: 'short' }, 'CODE_SECRET is shorter than 32 bytes; allowed: at least 32 bytes'],
    [
      { JWT_SECRET: DEMO_JWT_SECRET },
      'JWT_SECRET is a secret of the demo; allowed: in production a secret of your own',
    ],
    [
      { CODE_SECRET: DEMO_CODE_SECRET },
      'CODE_SECRET is a secret of the demo; allowed: in production a secret of your own',
    ],
    [
      { WEBHOOK_SECRET: DEMO_WEBHOOK_SECRET },
      'WEBHOOK_SECRET is a secret of the demo; allowed: in production a secret of your own',
    ],
    [
      { JWT_SECRET: DEMO_CODE_SECRET },
      'JWT_SECRET is a secret of the demo; allowed: in production a secret of your own',
    ],
    [
      { CODE_SECRET: DEMO_JWT_SECRET },
      'CODE_SECRET is a secret of the demo; allowed: in production a secret of your own',
    ],
    [
      { API_KEYS: `internal:app:${sha256(DEMO_JWT_SECRET)}` },
      'API_KEYS entry 1 is a key or a secret of the demo; allowed: in production keys of your own',
    ],
    [
      { API_KEYS: `client:app:${demoApiKeys[0]?.sha256 ?? ''}` },
      'API_KEYS entry 1 is a key or a secret of the demo; allowed: in production keys of your own',
    ],
    [{ CODE_SECRET: SECRET }, 'CODE_SECRET is the same as JWT_SECRET; allowed: in production a secret of its own'],
    [
      { API_KEYS: `client:a:${HASH},client:b:${sha256(SECRET)}` },
      'API_KEYS entry 2 is the hash of JWT_SECRET; allowed: in production a key of its own',
    ],
    [
      { API_KEYS: `internal:a:${sha256(OTHER_SECRET)}` },
      'API_KEYS entry 1 is the hash of CODE_SECRET; allowed: in production a key of its own',
    ],
    [{ WEBHOOK_SECRET: 'short' }, 'WEBHOOK_SECRET is shorter than 32 bytes; allowed: at least 32 bytes'],
    [
      { WEBHOOK_SECRET: SECRET },
      'WEBHOOK_SECRET is the same as JWT_SECRET; allowed: in production a secret of its own',
    ],
    [
      { WEBHOOK_SECRET: OTHER_SECRET },
      'WEBHOOK_SECRET is the same as CODE_SECRET; allowed: in production a secret of its own',
    ],
    [
      { WEBHOOK_SECRET: HEXADECIMAL, API_KEYS: `internal:a:${sha256(HEXADECIMAL)}` },
      'API_KEYS entry 1 is the hash of WEBHOOK_SECRET; allowed: in production a key of its own',
    ],
    [{ WEBHOOK_SECRET: 'password'.repeat(8) }, `WEBHOOK_SECRET ${GUESSED}`],
    [{ JWT_SECRET: 'password'.repeat(8) }, `JWT_SECRET ${GUESSED}`],
    [{ CODE_SECRET: 'a'.repeat(64) }, `CODE_SECRET ${GUESSED}`],
    [
      { ...jwks, JWKS_URL: 'http://id.example.com/jwks' },
      'JWKS_URL is not https; allowed: in production an https:// URL, or a loopback address',
    ],
    [
      { SMS_WEBHOOK_URL: 'http://sms.example.com/?token=changeit' },
      'SMS_WEBHOOK_URL is not https; allowed: in production an https:// URL, or a loopback address',
    ],
    [
      { ...jwks, JWT_ISSUER: '' },
      'JWT_ISSUER is not set beside JWKS_URL; allowed: in production what tokens must carry',
    ],
    [
      { ...jwks, JWT_AUDIENCE: '' },
      'JWT_AUDIENCE is not set beside JWKS_URL; allowed: in production what tokens must carry',
    ],
    [{ ...servers, EVENT_STORE_URL: 'esdb://user:changeit@es:2113?tls=false' }, ESDB],
    [{ ...servers, EVENT_STORE_URL: 'esdb+discover://127.0.0.1:2113,es:2113/?tls=false' }, ESDB],
    [{ ...servers, READ_MODEL_URL: 'mongodb://user:changeit@mongo/hiring' }, MONGO],
    [{ ...servers, READ_MODEL_URL: 'mongodb://127.0.0.1,mongo/hiring?tls=false' }, MONGO],
    [{ ...servers, READ_MODEL_URL: 'mongodb://127.0.0.1.example.com/hiring' }, MONGO],
    [{ ...servers, READ_MODEL_URL: 'mongodb+srv://mongo.example.com/hiring?ssl=false' }, MONGO],
    [{ ...servers, READ_MODEL_URL: 'mongodb://mongo/hiring?tls=true&TLSInsecure=true' }, MONGO],
    [{ ...servers, READ_MODEL_URL: 'mongodb://mongo/hiring?tls=true&tlsAllowInvalidCertificates=true' }, MONGO],
    [{ SMTP_URL: 'smtp://user:changeit@mail.example.com' }, SMTP],
    [{ SMTP_URL: 'smtps://user:changeit@mail.example.com?tls.rejectUnauthorized=false' }, SMTP],
    [{ SMTP_URL: 'smtp://mail.example.com?ignoreTLS=true', ALLOW_PLAINTEXT: 'false' }, SMTP],
    [{ ALLOW_PLAINTEXT: '1' }, 'ALLOW_PLAINTEXT is "1"; allowed: true or false'],
  ];
  for (const [given, message] of refused)
    it(`is refused in one line: ${message} (${Object.values(given).join(' ')})`, () => {
      expect(faultOf({ ...production, ...given })).to.equal(message);
    });

  for (const [given, told] of [
    [{ SMTP_URL: 'smtp://user:%zz@mail.example.com?foo=1' }, ['an unknown parameter', 'a malformed percent', 'TLS']],
    [{ SMS_WEBHOOK_URL: 'http://user:changeit@sms.example.com' }, ['a user or a password', 'is not https']],
    [{ ...servers, EVENT_STORE_URL: 'esdb://es:2113?foo=1&tls=false' }, ['an option', 'TLS']],
  ] as const)
    it(`is told every fault of one URL: ${Object.values(given).join(' ')}`, () => {
      const faults = faultsOf({ ...production, ...given });
      expect(faults).to.have.length(told.length);
      for (const [number, part] of told.entries()) expect(faults[number]).to.include(part);
    });

  it('is told all of its faults at once, each by name and without its value', () => {
    const environment = {
      ...production,
      ...servers,
      PORT: 'http',
      JWT_SECRET: 'changeit'.repeat(5),
      CODE_SECRET: 'changeit'.repeat(5),
      EVENT_STORE_URL: 'esdb://user:changeit@es:2113?tls=false',
      SMTP_URL: 'smtp://user:changeit@mail.example.com',
      SMS_WEBHOOK_URL: 'http://sms.example.com/?token=changeit',
      CORS_ORIGINS: 'app.example.com,https://app.example.com',
      FEATURE_X: 'true',
    };
    const faults = faultsOf(environment);

    expect(faults.map((line) => line.split(' ', 1)[0])).to.have.members([
      'FEATURE_X',
      'EVENT_STORE_URL',
      'JWT_SECRET',
      'CODE_SECRET',
      'CODE_SECRET',
      'SMTP_URL',
      'SMS_WEBHOOK_URL',
      'PORT',
      'CORS_ORIGINS',
    ]);
    for (const line of faults)
      expect(line)
        .to.match(/^[^\n]+; allowed: [^\n]+$/)
        .and.not.include('changeit');
  });
});

describe('outside of production', () => {
  it('secrets may be weak and the same, tokens without end, and servers without TLS', () => {
    const environment = {
      ...credentials,
      JWT_SECRET: 'a'.repeat(32),
      CODE_SECRET: 'a'.repeat(32),
      EVENT_STORE_URL: 'esdb://es:2113?tls=false',
      READ_MODEL_URL: 'mongodb://mongo/hiring',
      SMTP_URL: 'smtp://mail.example.com',
      SMS_WEBHOOK_URL: 'http://sms.example.com',
    };

    expect(loadConfig(environment).tokens.mustExpire).to.equal(false);
  });
});
