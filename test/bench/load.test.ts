import { expect } from 'chai';
import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { runClosedLoad } from '../../bench/load/closed.ts';
import { runPacedLoad } from '../../bench/load/paced.ts';
import { inTurns } from '../../bench/load/requests.ts';
import type { Source } from '../../bench/load/spec.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const twice: Source = {
  kind: 'repeated',
  requests: ['/a', '/b'].map((path) => ({ method: 'GET', path, headers: {} })),
};
const once4: Source = {
  kind: 'once',
  method: 'POST',
  path: '/save',
  headers: [{ user: '1' }, { user: '2' }],
  bodies: ['x', 'y'],
  first: 1,
};

describe('The requests of a load', () => {
  it('are those of each source in turns', () => {
    const { next, sent } = inTurns([twice, once4]);
    const said = Array.from({ length: 6 }, next).map(
      ({ path, headers, body }) => `${path}${headers['user'] ?? ''}${body ?? ''}`,
    );
    expect(said).to.deep.equal(['/a', '/save2x', '/b', '/save1y', '/a', '/save2y']);
    expect(sent).to.deep.equal([3, 3]);
  });

  it('are never sent twice where each is meant once', () => {
    const { next } = inTurns([once4]);
    for (let times = 0; times < 3; times++) next();
    expect(next).to.throw('All 2 x 2 requests to /save are spent');
  });
});

describe('A load', () => {
  let server: Server | undefined;
  const serve = async (listener: RequestListener): Promise<string> => {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no port');
    return `http://127.0.0.1:${address.port}`;
  };
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
  });
  const spec = { connections: 2, seconds: 0.2, sources: [twice] };

  it('by autocannon asks for every path and counts the answers', async () => {
    const asked = new Set<string>();
    const url = await serve(({ headers, url: path }, response) => {
      asked.add(`http://${headers.host}${path}`);
      response.end('hello');
    });
    const { requests, p50, p99, bytes } = await runClosedLoad({ ...spec, url });
    expect([...asked].sort()).to.deep.equal([`${url}/a`, `${url}/b`]);
    expect(requests).to.be.above(0);
    expect(p99).to.be.at.least(p50);
    expect(bytes).to.be.above(5);
  });

  it('by autocannon goes on for as long as a slow server needs', async () => {
    const answered: string[] = [];
    const url = await serve((_request, response) => {
      setTimeout(() => {
        answered.push('one');
        response.end();
      }, 150);
    });
    const { requests } = await runClosedLoad({ ...spec, url });
    expect(requests).to.be.at.least(spec.connections);
    expect(answered.length).to.be.above(requests);
  });

  it('at a rate sends as many as are due', async () => {
    const url = await serve((_request, response) => response.end());
    const { requests, sent } = await runPacedLoad({ ...spec, url, rate: 100 });
    expect(requests).to.equal(20);
    expect(sent).to.deep.equal([20]);
  });

  for (const [name, run] of [
    ['by autocannon', runClosedLoad],
    ['at a rate', (load: Parameters<typeof runClosedLoad>[0]) => runPacedLoad({ ...load, rate: 100 })],
  ] as const)
    it(`${name} fails when an answer is no 2xx`, async () => {
      const url = await serve((request, response) => {
        response.statusCode = request.url === '/b' ? 500 : 200;
        response.end();
      });
      const failure = await rejectionOf(run({ ...spec, url }));
      expect(failure)
        .to.be.an('error')
        .with.property('message')
        .that.matches(/status 500/);
    });
});
