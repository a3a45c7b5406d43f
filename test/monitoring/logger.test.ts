import { expect } from 'chai';
import fc from 'fast-check';
import { createLogger } from '../../src/monitoring/logger.ts';
import { scrubLine, scrubText } from '../../src/monitoring/log-scrubber.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
const UUID = '019aa5f0-1234-7abc-8def-012345678901';

const capture = () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  // pino writes objects
  const entry = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  return { lines, logger, entry };
};
const messageOf = (text: string): unknown => {
  const { logger, entry } = capture();
  logger.info(text);
  return entry()['msg'];
};

describe('the logger', () => {
  it('writes one line of JSON with an ISO time', () => {
    const { logger, lines, entry } = capture();

    logger.info({ status: 200 }, 'answered');

    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/\}\n$/);
    expect(entry()).to.include({ level: 30, status: 200, msg: 'answered' });
    expect(entry()['time']).to.match(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  });

  it('scrubs lines that look harmless as well as all others', () => {
    const part = fc.constantFrom(
      ...['ann@example.com', 'a%40b.c', '+15551234567', '%2B15551234567', '555-123-4567', '123456', JWT],
      ...['Bearer 0123456789abcdef', 'https://u:p@host/', `${UUID}.${'k'.repeat(43)}`, UUID, 'n', ' ', '\n', '.'],
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const msg = parts.join('');
        expect(scrubLine(`${JSON.stringify({ msg })}\n`)).to.equal(`${JSON.stringify({ msg: scrubText(msg) })}\n`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps to its level', () => {
    const { logger, lines } = capture();

    logger.trace('not shown');

    expect(lines).to.deep.equal([]);
  });

  const names = [
    'phone',
    'phoneNumber',
    'professionalPhone',
    'email',
    'professionalEmail',
    'code',
    'token',
    'requestToken',
    'authorization',
    'Authorization',
    'x-api-key',
    'X-Service-MFA-Token',
    'apiKey',
    'secret',
    'JWT_SECRET',
    'password',
    'cookie',
  ];
  for (const name of names)
    it(`redacts ${name} at any depth`, () => {
      const { logger, lines } = capture();

      logger.info({ [name]: 'plain-value', list: [{ in: { [name]: { deeper: 'plain-value' } } }] }, 'done');

      expect(lines[0]).to.not.include('plain-value');
    });

  it('redacts a code that is a number', () => {
    const { logger, entry } = capture();

    logger.info({ code: 48_213 }, 'done');

    expect(entry()['code']).to.equal('[redacted]');
  });

  it('keeps the code of a failure', () => {
    const { logger, entry } = capture();

    logger.info({ code: 'ECONNREFUSED' }, 'done');

    expect(entry()['code']).to.equal('ECONNREFUSED');
  });

  it('redacts what a child logger carries', () => {
    const { logger, entry } = capture();

    logger.child({ email: 'jane@example.com', requestId: UUID }).info('done');

    expect(entry()).to.include({ email: '[redacted]', requestId: UUID });
  });

  const scrubbed: [string, string, string][] = [
    ['a phone number', 'to +14155550123 now', 'to [phone] now'],
    ['a phone number with blanks', 'to +49 (0)30 1234567 now', 'to [phone] now'],
    ['a phone number in a URL', '/find?phone=%2B14155550123', '/find?phone=[phone]'],
    ['a national phone number', 'to (415) 555-0123 or 415-555-0123', 'to [phone] or [phone]'],
    ['a phone number before a timestamp', '+14155550123 2026-03-01T09:30:00.000Z', '[phone] 2026-03-01T09:30:00.000Z'],
    ['a phone number before a UUID', `+14155550123 ${UUID}`, `[phone] ${UUID}`],
    ['a mail address', "to 'jane.doe+x@mail.example.com'.", "to '[mail]'."],
    ['a mail address with an apostrophe', "to o'hara@example.com", 'to [mail]'],
    ['a mail address in brackets', '550 <jane@example.com> unknown', '550 <[mail]> unknown'],
    ['a mail address with letters of any language', 'to jörg@bücher.example', 'to [mail]'],
    ['a mail address in a URL', '/users/jane%40example.com/x', '/users/[mail]/x'],
    ['a JWT', `token ${JWT} expired`, 'token [token] expired'],
    ['a bearer token', 'sent Bearer abcdefghijklmnopqrstuvwxyz', 'sent [token]'],
    ['a token of ours', `got ${UUID}.${'a-B_9'.repeat(8)}abc`, 'got [token]'],
    ['the login of a URL', 'smtp://post:secret@mail.example.com failed', 'smtp://[login]@mail.example.com failed'],
    ['a code', 'Your code is 048213.', 'Your code is [code].'],
    ['a code in quotes', '{"code":"048213"}', '{"code":"[code]"}'],
    ['a code beside a UUID', `${UUID} 048213`, `${UUID} [code]`],
  ];
  for (const [name, given, expected] of scrubbed)
    it(`scrubs ${name} from a message`, () => {
      expect(messageOf(given)).to.equal(expected);
    });

  const readable: [string, string][] = [
    ['a UUID', `event ${UUID} appended`],
    ['a UUID with six digits in a row', 'event 12345678-1234-7123-8123-123456123456 appended'],
    ['a timestamp', 'recorded at 2026-03-01T09:30:00.123456Z'],
    ['a timestamp with an offset', 'recorded at 2026-03-01T09:30:00+01:00'],
    ['a timestamp with a short offset', 'at 2026-03-01T09:30:00.000+0100 1234 events'],
    ['a position', 'caught up at position 123456'],
    ['a padded position', 'caught up: 0000000000123456'],
    ['a revision', 'expected revision: 123456'],
    ['milliseconds since 1970', 'since 1772357400000'],
    ['a duration', 'took 12.123456 ms'],
    ['a hash', 'file 3f123456ab'],
    ['a package in a path', 'at run (/app/node_modules/@koa/router/index.js:123:45)'],
    ['a package with its version', 'at run (/app/.store/pino@10.4.0/node_modules/pino/pino.js:1:2)'],
    ['a damaged file', '/data/read-models.db.saved-postings@2.1 was renamed read-models.db.saved-postings@2.1.damaged'],
    ['the file of a build', `/data/read-models.db.saved-postings@2.1.building-${UUID} is damaged`],
    ['an IP address with a port', 'connect ECONNREFUSED 127.0.0.1:54321'],
    ['words about bearer tokens', 'The bearer token is not valid, or no longer'],
  ];
  for (const [name, text] of readable)
    it(`leaves ${name} readable`, () => {
      expect(messageOf(text)).to.equal(text);
    });

  it('leaves places in the log and identifiers readable in members', () => {
    const { logger, entry } = capture();
    const members = {
      position: '123456',
      lag: 123456,
      postingId: '123456',
      path: '/postings/123456/candidates',
      requestId: UUID,
    };

    logger.info(members, 'done');

    expect(entry()).to.include(members);
  });

  it('scrubs members that are texts', () => {
    const { logger, entry } = capture();

    logger.info({ note: 'jane@example.com took 048213', all: ['+14155550123'] }, 'done');

    expect(entry()).to.deep.include({ note: '[mail] took [code]', all: ['[phone]'] });
  });

  it('scrubs what is put into a message', () => {
    const { logger, entry } = capture();

    logger.info('sent %s to %j', '048213', { to: '+14155550123' });

    expect(entry()['msg']).to.equal('sent [code] to {"to":"[phone]"}');
  });

  for (const key of ['err', 'error'])
    it(`scrubs message, stack and causes of an error under ${key}`, () => {
      const { logger, lines, entry } = capture();
      const error = new Error('no way to jane@example.com', { cause: new Error('048213 to +14155550123') });

      logger.error({ [key]: error }, 'failed');

      expect(lines[0]).to.not.match(/jane|048213|4155550123/);
      expect(entry()[key]).to.have.property('message').that.includes('no way to [mail]');
      expect(entry()[key]).to.have.property('stack').that.includes('logger.test');
    });

  it('scrubs an error that is logged alone', () => {
    const { logger, lines, entry } = capture();

    logger.error(new Error('no way to jane@example.com'));

    expect(lines[0]).to.not.include('jane');
    expect(entry()['msg']).to.equal('no way to [mail]');
  });

  const hostile = [
    '-eyJaaa@[',
    '-eyJ',
    'eyJaaaaaa.',
    'a@[',
    `${'a'.repeat(63)}@[`,
    `${'a'.repeat(64)}@${'1'.repeat(63)}.`,
    'a',
    '1 ',
    '1-',
    '+1.',
    '%2B1(',
    '"a',
    '://a',
    'Bearer \t',
    'position :',
    '019aa5f0-1234-7abc-8def-012345678901.',
  ];
  /** The least CPU time of some calls, in milliseconds: the first ones compile the expressions. */
  const timeOf = (text: string): number => {
    const times = Array.from({ length: 10 }, () => {
      const started = process.cpuUsage();
      scrubText(text);
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1_000;
    });
    return Math.min(...times);
  };
  const timeOfLength = (length: number, part: string): number => timeOf(part.repeat(length / part.length));

  for (const part of hostile)
    it(`takes a time for ${part} that grows with the length, not with its square`, () => {
      expect(timeOfLength(8_192, part)).to.be.below(2 + 8 * timeOfLength(2_048, part));
    });

  it('keeps the beginning of a long text, without what was cut through at its end', () => {
    for (const secret of ['+14155550123', 'jane@example.com', JWT, '048213', `${UUID}.${'k'.repeat(43)}`])
      for (let cut = 1; cut < secret.length; cut++) {
        const scrubbed = scrubText(`${'. '.repeat(4_096).slice(cut)}${secret} and more`);
        expect(scrubbed).to.match(/^[. ]+…$/);
        expect(scrubbed.length).to.be.above(7_500);
      }
  });
});
