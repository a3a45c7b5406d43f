import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { LogUnavailable } from '../../src/event-store/port.ts';
import type { State } from '../../src/http/context.ts';
import { errorAnswers } from '../../src/http/error-answers.ts';

describe('A log of events that is away', () => {
  const failure = new LogUnavailable('EventStoreDB does not answer', { cause: new Error('at 10.0.0.7') });
  const told: unknown[] = [];
  let server: Server;
  before(async () => {
    const app = new Koa<State>();
    app.use(errorAnswers((error) => told.push(error)));
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
      retryAfter: answer.headers.get('Retry-After'),
      body: await answer.json(),
    };
  };

  it('has a write told that it may have been stored, and the application log told why', async () => {
    const error =
      'Nothing can be stored now. What was asked for may have been stored all the same: ask again under the same Idempotency-Key';
    expect(await answerTo('PUT')).to.deep.equal({ status: 503, retryAfter: '2', body: { error } });
    expect(told.at(-1)).to.equal(failure);
  });

  it('has a read told to come back', async () => {
    const error = 'What this needs cannot be read now';
    expect(await answerTo('GET')).to.deep.equal({ status: 503, retryAfter: '2', body: { error } });
  });
});
