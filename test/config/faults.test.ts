import { expect } from 'chai';
import type { Environment } from '../../src/config/config.ts';
import { faultOf, faultsOf } from './environments.ts';

describe('a fault in the configuration', () => {
  const HTTP = 'an http:// or https:// URL without user and password';
  const PARAMETERS = 'requireTLS, ignoreTLS, tls.rejectUnauthorized, each true or false';
  const PORTS = 'an integer from 0 to 65535';
  const ORIGINS = '*, or origins such as https://app.example.com, comma-separated';

  const faults: [Environment, string][] = [
    [
      { EVENT_LOG_ID: 'mine' },
      'EVENT_LOG_ID is "mine"; allowed: the identity of an event log, a UUID as hiring init prints it',
    ],
    [{ EVENT_LOG_INIT: 'yes' }, 'EVENT_LOG_INIT is "yes"; allowed: true or false'],
    [{ NODE_ENV: 'Production' }, 'NODE_ENV is "Production"; allowed: one of production, development, test'],
    [{ HOST: 'a b' }, 'HOST is "a b"; allowed: a host name or an IP address'],
    [{ PORT: '80.5' }, `PORT is "80.5", which is not a whole number; allowed: ${PORTS}`],
    [{ PORT: '-1' }, `PORT is "-1", which is not a whole number; allowed: ${PORTS}`],
    [{ PORT: '65536' }, `PORT is "65536", which is out of range; allowed: ${PORTS}`],
    [{ PORT: 'x'.repeat(100) }, `PORT is "${'x'.repeat(60)}…", which is not a whole number; allowed: ${PORTS}`],
    [{ METRICS_PORT: 'none' }, `METRICS_PORT is "none", which is not a whole number; allowed: ${PORTS}`],
    [{ METRICS_PORT: '8080' }, 'METRICS_PORT is the same as PORT; allowed: another port, or none'],
    [{ DATA_DIR: 'a\0b' }, 'DATA_DIR holds a NUL character; allowed: a path of the file system'],
    [
      { EVENT_STORE_URL: 'esdb:admin:changeit@es' },
      'EVENT_STORE_URL is not a URL of EventStoreDB; allowed: esdb://[user:password@]host[:port][?options]',
    ],
    [
      { READ_MODEL_URL: 'mongodb://admin:changeit@mongo' },
      'READ_MODEL_URL is not a URL of a MongoDB database; allowed: mongodb://[user:password@]host[:port]/database[?options]',
    ],
    [
      { EVENT_STORE_URL: 'esdb://admin:changeit@es:2113' },
      'EVENT_STORE_URL and READ_MODEL_URL name a file and a server; allowed: two files (sqlite:), or esdb: and mongodb: together',
    ],
    [
      { EVENT_STORE_PREFIX: '$mine' },
      'EVENT_STORE_PREFIX is "$mine"; allowed: 1 to 64 characters out of A-Z a-z 0-9 . _ $ -, and not $ first',
    ],
    [
      { EVENT_STORE_URL: 'events.db' },
      'EVENT_STORE_URL is of no kind that is known; allowed: sqlite:<path> or esdb://[user:password@]host[:port][?options]',
    ],
    [
      { EVENT_STORE_URL: 'sqlite:' },
      'EVENT_STORE_URL is of no kind that is known; allowed: sqlite:<path> or esdb://[user:password@]host[:port][?options]',
    ],
    [
      { EVENT_STORE_URL: 'sqlite://data/events.db' },
      'EVENT_STORE_URL has slashes of a host before its path; allowed: as in sqlite:/var/lib/hiring/events.db',
    ],
    [{ READ_MODEL_URL: 'sqlite::memory:' }, 'READ_MODEL_URL names no file; allowed: sqlite:<path> of a file'],
    [
      { READ_MODEL_URL: 'sqlite:./data/x/../events.db' },
      'READ_MODEL_URL names the file of EVENT_STORE_URL; allowed: a file of its own',
    ],
    [{ SMS_WEBHOOK_URL: 'ftp://sms.example.com' }, `SMS_WEBHOOK_URL is not an HTTP URL; allowed: ${HTTP}`],
    [
      { SMS_WEBHOOK_URL: 'https://me:changeit@sms.example.com' },
      `SMS_WEBHOOK_URL holds a user or a password; allowed: ${HTTP}`,
    ],
    [{ ROAD_ROUTER_URL: 'http://' }, `ROAD_ROUTER_URL is not an HTTP URL; allowed: ${HTTP}`],
    [
      { SMTP_URL: 'https://mail.example.com' },
      'SMTP_URL is not an SMTP URL; allowed: smtp://[user:password@]host[:port] or smtps://…',
    ],
    [{ SMTP_URL: 'smtp://' }, 'SMTP_URL is not an SMTP URL; allowed: smtp://[user:password@]host[:port] or smtps://…'],
    [
      { SMTP_URL: 'smtp://mail.example.com?logger=true' },
      `SMTP_URL holds an unknown parameter or value; allowed: ${PARAMETERS}`,
    ],
    [
      { SMTP_URL: 'smtp://mail.example.com?requireTLS=1' },
      `SMTP_URL holds an unknown parameter or value; allowed: ${PARAMETERS}`,
    ],
    [
      { SMTP_URL: 'smtp://me:changeit%@mail.example.com' },
      'SMTP_URL holds a malformed percent-encoding; allowed: user and password percent-encoded as UTF-8',
    ],
    [{ FEATURE_PHONE_UPDATE_MFA: 'TRUE' }, 'FEATURE_PHONE_UPDATE_MFA is "TRUE"; allowed: true or false'],
    [
      { FEATURE_PHONE_MFA: 'true' },
      'FEATURE_PHONE_MFA is not a known feature; allowed: FEATURE_PHONE_UPDATE_MFA, FEATURE_PHONE_UPDATE_LEGACY',
    ],
    ...['us', 'UK', 'USA', 'constructor'].map((entry): [Environment, string] => [
      { SMS_COUNTRIES: `CA,${entry}` },
      `SMS_COUNTRIES entry 2 is "${entry}"; allowed: countries by ISO 3166-1 alpha-2 in capitals, such as US,CA, comma-separated; none: all`,
    ]),
    [
      { QUOTA_EVENTS_PER_DAY: '-1' },
      'QUOTA_EVENTS_PER_DAY is "-1", which is not a whole number; allowed: an integer from 0 to 1000000000',
    ],
    [
      { RATE_LIMIT_PER_SECOND: '1e3' },
      'RATE_LIMIT_PER_SECOND is "1e3", which is not a whole number; allowed: an integer from 0 to 1000000000',
    ],
    [
      { RATE_LIMIT_BURST: '1000000001' },
      'RATE_LIMIT_BURST is "1000000001", which is out of range; allowed: an integer from 0 to 1000000000',
    ],
    [{ CORS_ORIGINS: 'https://app.example.com/' }, `CORS_ORIGINS entry 1 is not an origin; allowed: ${ORIGINS}`],
    [{ CORS_ORIGINS: 'https://app.example.com,*' }, `CORS_ORIGINS entry 2 is not an origin; allowed: ${ORIGINS}`],
    [
      { LOG_LEVEL: 'verbose' },
      'LOG_LEVEL is "verbose"; allowed: one of fatal, error, warn, info, debug, trace, silent',
    ],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; allowed: one of http/json'],
    [
      { CONSISTENCY_WAIT_MS: '60001' },
      'CONSISTENCY_WAIT_MS is "60001", which is out of range; allowed: an integer from 0 to 60000',
    ],
  ];
  for (const [environment, message] of faults)
    it(`is told in one line: ${message}`, () => {
      expect(faultOf(environment)).to.equal(message);
    });

  it('is told beside all others', () => {
    const environment = { PORT: 'http', LOG_LEVEL: 'loud', TRUSTED_PROXIES: 'proxy,10.0.0.0/8,?' };
    expect(faultsOf(environment).map((line) => line.replace(/; allowed: .*/, ''))).to.deep.equal([
      'TRUSTED_PROXIES entry 1 is "proxy"',
      'TRUSTED_PROXIES entry 3 is "?"',
      'PORT is "http", which is not a whole number',
      'LOG_LEVEL is "loud"',
    ]);
  });

  it('stays one line whatever the value', () => {
    expect(faultOf({ LOG_LEVEL: 'a\nb\u2028c' })).to.not.match(/[\n\r\u2028\u2029]/);
  });

  it('shows no password', () => {
    const withPasswords = faults.filter(([environment]) =>
      Object.values(environment).some((value) => value?.includes('changeit')),
    );

    expect(withPasswords.map(([environment]) => faultOf(environment)).join()).to.not.include('changeit');
  });
});
