import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import {
  conflict,
  DomainError,
  forbidden,
  invalid,
  keyReused,
  notFound,
  preconditionFailed,
  tooMany,
  unauthenticated,
  unavailable,
  type DomainErrorReason,
} from '../../src/errors/domain-error.ts';
import { StoreUnavailableError } from '../../src/errors/store-unavailable.ts';
import { LogUnavailableError } from '../../src/event-store/port.ts';
import type { State } from '../../src/http/edge/context.ts';
import { answerErrors } from '../../src/http/error-answers.ts';

describe('A failure', () => {
  const told: unknown[] = [];
  let failure: Error;
  let server: Server;
  before(async () => {
    const app = new Koa<State>();
    app.use(answerErrors((error) => told.push(error)));
    app.use(() => Promise.reject(failure));
    server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  const answerTo = async (method: string) => {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method });
    return {
      status: answer.status,
      code: answer.headers.get('Error-Code'),
      retryAfter: answer.headers.get('Retry-After'),
      challenge: answer.headers.get('WWW-Authenticate'),
      body: await answer.json(),
    };
  };

  it('of the read models is a 503, and the application log is told why', async () => {
    failure = new StoreUnavailableError('MongoDB does not answer', { cause: new Error('at 10.0.0.7') });
    expect(await answerTo('GET')).to.deep.equal({
      status: 503,
      code: 'unavailable',
      retryAfter: '2',
      challenge: null,
      body: { error: 'What this needs cannot be read now' },
    });
    expect(told.at(-1)).to.equal(failure);
  });

  describe('of the event log', () => {
    const away = new LogUnavailableError('EventStoreDB does not answer', { cause: new Error('at 10.0.0.7') });
    const comeBack = { status: 503, code: 'unavailable', retryAfter: '2', challenge: null };
    beforeEach(() => {
      failure = away;
    });

    it('has a write told that it may have been stored, and the application log told why', async () => {
      const error =
        'Nothing can be stored now. What was asked for may have been stored all the same: ask again under the same Idempotency-Key';
      expect(await answerTo('PUT')).to.deep.equal({ ...comeBack, body: { error } });
      expect(told.at(-1)).to.equal(away);
    });

    it('has a read told to come back', async () => {
      const error = 'What this needs cannot be read now';
      expect(await answerTo('GET')).to.deep.equal({ ...comeBack, body: { error } });
    });
  });

  describe('for a reason of the domain', () => {
    const refusals: Readonly<Record<DomainErrorReason, readonly [status: number, DomainError]>> = {
      invalid: [400, invalid('no')],
      'wrong-code': [400, new DomainError('wrong-code', 'no')],
      unauthenticated: [401, unauthenticated('no')],
      forbidden: [403, forbidden('no')],
      'not-verified': [403, new DomainError('not-verified', 'no')],
      'not-found': [404, notFound('no')],
      conflict: [409, conflict('no')],
      'candidate-closed': [409, new DomainError('candidate-closed', 'no')],
      'posting-closed': [409, new DomainError('posting-closed', 'no')],
      'precondition-failed': [412, preconditionFailed('no')],
      'key-reused': [422, keyReused('no')],
      'too-many': [429, tooMany('no', 7)],
      unavailable: [503, unavailable('no', 7)],
    };
    for (const [reason, [status, refusal]] of Object.entries(refusals))
      it(`is a ${status} where it is ${reason}, and no defect`, async () => {
        failure = refusal;
        expect(await answerTo('PUT')).to.deep.equal({
          status,
          code: reason,
          retryAfter: refusal.retryAfter === undefined ? null : '7',
          challenge: status === 401 ? 'Bearer' : null,
          body: { error: 'no' },
        });
        expect(told).not.to.include(refusal);
      });
  });
});
