import { Agent, get, type ClientRequest } from 'node:http';
import { expect } from 'chai';
import type { HistoryProtocol } from '../../src/history/operations/history-task.ts';
import { eventually } from '../support/eventually.ts';
import { apiKeys, claims, ids } from '../support/examples.ts';
import { startService, tokenFor, type Service } from '../support/service.ts';
import { startHere, threadsHere } from '../support/threads-here.ts';

/** A thread that answers when the test says so, and what it was asked. */
const threadOfTest = () => {
  const questions: { readonly entity: string; answer: () => void; giveUp: () => void; isLeft: () => boolean }[] = [];
  const start = startHere<HistoryProtocol>(() => ({
    async *run({ question }, { signal }) {
      const isAnswered = await new Promise<boolean>((resolve) =>
        questions.push({
          entity: String(question.params['id']),
          answer: () => resolve(true),
          giveUp: () => resolve(false),
          isLeft: () => signal.aborted,
        }),
      );
      if (!isAnswered) throw new Error('left');
      yield { upTo: undefined };
      yield '{}';
    },
  }));
  return { start, questions, asked: () => questions.map(({ entity }) => entity) };
};

describe('Places of questions about the history', () => {
  let service: Service;
  let thread: ReturnType<typeof threadOfTest>;
  const requests: ClientRequest[] = [];
  beforeEach(async () => {
    thread = threadOfTest();
    service = await startService({ threads: { ...threadsHere, history: thread.start } });
  });
  afterEach(async () => {
    for (const request of requests.splice(0)) request.destroy();
    for (const { giveUp } of thread.questions) giveUp();
    await service.stop();
  });

  /** Asks about an entity, on a connection of its own; gives the request and the status of the answer. */
  const ask = async (entity: string, user: string = claims.analyst.sub) => {
    const Authorization = `Bearer ${await tokenFor({ ...claims.analyst, sub: user })}`;
    const headers = { 'X-API-Key': apiKeys.client, Authorization };
    const request = get(`${service.url}/history/entities/posting/${entity}`, { headers, agent: new Agent() });
    const status = new Promise<number>((resolve) =>
      request.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', () => resolve(0)),
    );
    requests.push(request);
    return { request, status };
  };
  const isAsked = (...entities: readonly string[]) =>
    eventually(`the thread is asked about ${entities.join(', ')}`, () => {
      expect(thread.asked()).to.deep.equal(entities);
      return true;
    });

  /** Takes the places of a user; gives the first question. */
  const askTwo = async () => {
    const first = await ask('a1');
    await isAsked('a1');
    await ask('a2');
    await isAsked('a1', 'a2');
    return first;
  };

  it('are two of one user, who gets another once a question has been answered, and other users have theirs', async () => {
    const first = await askTwo();
    await ask('a3');
    await ask('b1', 'ben');
    await isAsked('a1', 'a2', 'b1');
    thread.questions[0]?.answer();
    await isAsked('a1', 'a2', 'b1', 'a3');
    expect(await first.status).to.equal(200);
  });

  it('are given back by a client that has gone, which the thread is told, once it does nothing more', async () => {
    const first = await askTwo();
    await ask('a3');
    first.request.destroy();
    await eventually('the thread is told', () => thread.questions[0]?.isLeft() === true);
    expect(thread.asked()).to.deep.equal(['a1', 'a2']);
    thread.questions[0]?.giveUp();
    await isAsked('a1', 'a2', 'a3');
  });

  it('are not given to a client that has gone while it waited', async () => {
    await askTwo();
    const third = await ask('a3');
    await ask('b1', 'ben');
    // Whoever came later was heard, so the third waits.
    await isAsked('a1', 'a2', 'b1');
    third.request.destroy();
    // What comes on connections of their own is heard later.
    for (let turn = 0; turn < 3; turn++)
      await service.send('GET', '/health/live', { headers: { Connection: 'close' } });
    await ask('a4');
    thread.questions[0]?.answer();
    await isAsked('a1', 'a2', 'b1', 'a4');
  });

  it('are refused where none becomes free in time, and when to come back is said', async () => {
    await askTwo();
    const path = `/history/entities/posting/${ids.posting}`;
    const { status, headers, body } = await service.send('GET', path, { as: 'analyst' });
    expect([status, headers.get('Retry-After')]).to.deep.equal([429, '1']);
    expect(body).to.deep.equal({ error: '2 questions about the history of yours are being answered already' });
  });
});
