import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { loadConfig, type Environment } from '../../src/config/config.ts';
import { DEMO_CONSOLE_SECRET, holdsDemoCredential } from '../../src/config/demo.ts';
import { OTHER_SECRET, SECRET, credentials, faultOf, faultsOf, production } from './environments.ts';

const HEXADECIMAL = '9f86d081884c7d659a2feaa0c55ad015';
const oidc = {
  CONSOLE_URL: 'https://ops.example.com/console',
  CONSOLE_OIDC_ISSUER: 'https://id.example.com',
  CONSOLE_OIDC_CLIENT_ID: 'hiring-console',
  CONSOLE_OIDC_CLIENT_SECRET: 'changeit',
  CONSOLE_SESSION_SECRET: HEXADECIMAL,
};

describe('The console in the configuration', () => {
  const consoleOf = (environment: Environment) => {
    const { console } = loadConfig(environment);
    return console ? `${console.kind}, ${console.mode}` : 'off';
  };
  for (const [what, environment, found] of [
    ['the demo', {}, 'demo, on'],
    ['the demo, of which it is said', { CONSOLE: 'read-only' }, 'demo, read-only'],
    ['the demo, where it is off', { CONSOLE: 'off' }, 'off'],
    ['the demo with an issuer', oidc, 'oidc, on'],
    ['credentials of your own', credentials, 'off'],
    ['credentials of your own, and its variables', { ...credentials, ...oidc }, 'oidc, on'],
    ['credentials of your own, where it is off', { ...credentials, ...oidc, CONSOLE: 'off' }, 'off'],
    ['production', production, 'off'],
    ['production that has its variables', { ...production, ...oidc }, 'off'],
    ['production where it is on', { ...production, ...oidc, CONSOLE: 'on' }, 'oidc, on'],
    [
      'an address under a path, and an issuer of this machine',
      { ...oidc, CONSOLE_URL: 'https://example.com/a/b/console/', CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:9000' },
      'oidc, on',
    ],
  ] as const)
    it(`is ${found}: ${what}`, () => {
      expect(consoleOf(environment)).to.equal(found);
    });

  it('is told all that is missing where it is on', () => {
    const names = Object.keys(oidc);
    const faults = names.map(
      (name) => `${name} is not set, and the console is on; allowed: all of ${names.join(', ')}, or CONSOLE=off`,
    );
    for (const base of [credentials, production]) expect(faultsOf({ ...base, CONSOLE: 'on' })).to.deep.equal(faults);
    expect(faultsOf({ CONSOLE_URL: oidc.CONSOLE_URL })).to.deep.equal(faults.slice(1));
  });

  const PATH =
    'CONSOLE_URL does not end with /console, after a path of plain segments; allowed: the address of the console in a browser, such as https://hiring.example.com/console';
  const HTTP = 'an http:// or https:// URL without user and password';
  for (const [given, message] of [
    [{ CONSOLE: 'true' }, 'CONSOLE is "true"; allowed: one of off, read-only, on'],
    [{ CONSOLE_URL: 'https://ops.example.com/' }, PATH],
    [{ CONSOLE_URL: 'https://ops.example.com/console?a=b' }, PATH],
    [{ CONSOLE_URL: 'https://ops.example.com/console#/' }, PATH],
    [{ CONSOLE_URL: 'https://ops.example.com/a;Domain=example.com/console' }, PATH],
    [{ CONSOLE_URL: 'ops.example.com/console' }, `CONSOLE_URL is not an HTTP URL; allowed: ${HTTP}`],
    [
      { CONSOLE_URL: 'http://ops.example.com/console' },
      'CONSOLE_URL is not https; allowed: in production an https:// URL, or a loopback address',
    ],
    [
      { CONSOLE_OIDC_ISSUER: 'https://me:changeit@id.example.com' },
      `CONSOLE_OIDC_ISSUER holds a user or a password; allowed: ${HTTP}`,
    ],
    [
      { CONSOLE_OIDC_ISSUER: 'http://id.example.com' },
      'CONSOLE_OIDC_ISSUER is not https; allowed: an https:// URL, or a loopback address',
    ],
    [
      { CONSOLE_SESSION_SECRET: 'changeit' },
      'CONSOLE_SESSION_SECRET is shorter than 32 bytes; allowed: at least 32 bytes',
    ],
    [
      { CONSOLE_SESSION_SECRET: 'changeit'.repeat(8) },
      'CONSOLE_SESSION_SECRET can be guessed; allowed: in production 128 bits: random text, as openssl rand -base64 48 prints it',
    ],
    [
      { CONSOLE_SESSION_SECRET: DEMO_CONSOLE_SECRET },
      'CONSOLE_SESSION_SECRET is a secret of the demo; allowed: in production a secret of your own',
    ],
    ...(
      [
        ['JWT_SECRET', SECRET],
        ['CODE_SECRET', OTHER_SECRET],
      ] as const
    ).map(
      ([name, secret]) =>
        [
          { CONSOLE_SESSION_SECRET: secret },
          `CONSOLE_SESSION_SECRET is the same as ${name}; allowed: in production a secret of its own`,
        ] as const,
    ),
    [
      { WEBHOOK_SECRET: HEXADECIMAL },
      'CONSOLE_SESSION_SECRET is the same as WEBHOOK_SECRET; allowed: in production a secret of its own',
    ],
    [
      { API_KEYS: `client:app:${createHash('sha256').update(HEXADECIMAL).digest('hex')}` },
      'API_KEYS entry 1 is the hash of CONSOLE_SESSION_SECRET; allowed: in production a key of its own',
    ],
  ] as const)
    it(`is refused in one line: ${message} (${Object.values(given).join(' ')})`, () => {
      expect(faultOf({ ...production, CONSOLE: 'on', ...oidc, ...given })).to.equal(message);
      expect(message).not.to.include('changeit');
    });

  it('is of the demo where its secret is, and is told so', () => {
    const own = { ...credentials, ...oidc };
    expect(holdsDemoCredential(loadConfig(own))).to.equal(false);
    expect(holdsDemoCredential(loadConfig({ ...own, CONSOLE_SESSION_SECRET: DEMO_CONSOLE_SECRET }))).to.equal(true);
  });
});
