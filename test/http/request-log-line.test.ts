import { expect } from 'chai';
import fc from 'fast-check';
import { actorOf } from '../../src/access/access.ts';
import { requestLogLine } from '../../src/http/request-log-line.ts';
import { parseIpAddress } from '../../src/lib/ip-address.ts';
import { createLogger } from '../../src/monitoring/logger.ts';

const UUID = '019aa5f0-1234-7abc-8def-012345678901';

type Arguments = Parameters<typeof requestLogLine>;

/** The same line by the logger, which scrubs all of it. */
const byLogger = ([{ state, method, status }, path, ms, address]: Arguments): string => {
  const { requestId, operation, key, caller, refusal } = state;
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const told = { requestId, operation: operation?.name ?? 'none', method, path, status, ms, key: key?.name };
  const who = { actor: caller && actorOf(caller), address: address?.toString(), reason: refusal };
  logger.info({ ...told, ...who }, 'answered');
  return lines[0] ?? '';
};
const withoutTime = (line: string): string => line.replace(/"time":"[^"]{24}"/, '');

const website = { name: 'website', scope: 'client' } as const;
const byUser = (id: string) => ({
  key: website,
  user: { id, professionalId: undefined, officeId: undefined, isAdmin: false, isAnalyst: false },
});

describe('The line of a request', () => {
  it('is the one that the logger would write of the same, scrubbed part by part', () => {
    const given = fc.constantFrom(
      'request-1',
      'build-123456',
      `${UUID}.${'k'.repeat(27)}`,
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIi',
      '512.555.0123',
      UUID,
    );
    const members = {
      requestId: given,
      isClientId: fc.constant(true),
      operation: fc.constant({ name: 'getSpecialty', path: '/specialties/:id' }),
      key: fc.constantFrom(...['website', 'ann@example.com', '512-555-0123'].map((name) => ({ ...website, name }))),
      caller: fc.constantFrom(
        { key: website, user: undefined },
        ...['user-ann', '123456', '512.555.0123', 'ann@example.com', 'eyJhbGciOiJIUzI1NiJ9.e30'].map(byUser),
      ),
      refusal: fc.constantFrom('The token names no role admin', 'The code 123456 "of" 512-555-0123\nis not yours'),
    };
    const state = fc.record(members, { requiredKeys: ['requestId', 'isClientId'] });
    const context = fc.record({
      state,
      method: fc.constantFrom('GET', 'PATCH', 'M-SEARCH'),
      status: fc.constantFrom(200, 304, 503),
    });
    const path = fc.constantFrom('/', '/*', '/postings/:postingId/candidates');
    const ms = fc.constantFrom(0, 0.1, 12.3, 100_000.5, 123_456);
    const address = fc.constantFrom(undefined, ...['203.0.113.7', '2001:db8::123:4567'].map(parseIpAddress));
    fc.assert(
      fc.property(context, path, ms, address, (...parts) => {
        expect(withoutTime(requestLogLine(...parts))).to.equal(withoutTime(byLogger(parts)));
      }),
    );
  });

  it('has an id of the service as it is, and the time of now', () => {
    const before = new Date().toISOString();
    const line = requestLogLine(
      { state: { requestId: UUID, isClientId: false }, method: 'GET', status: 200 },
      '/*',
      1,
      undefined,
    );
    const { requestId, time } = JSON.parse(line) as Record<string, string>;
    expect(requestId).to.equal(UUID);
    const [first, last] = [Date.parse(before), Date.now()];
    expect(Date.parse(time ?? '')).to.be.within(first, last);
  });
});
