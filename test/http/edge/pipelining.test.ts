import { expect } from 'chai';
import { MAX_WAITING_REQUESTS } from '../../../src/http/edge/pipelines.ts';
import { apiKeys, bodies } from '../../support/examples.ts';
import { startCheckedService, type CheckedService } from '../checked-service.ts';
import { openHostile } from '../hostile-socket.ts';
import { eventually } from '../../support/eventually.ts';
import { exchangeBytes } from '../raw-socket.ts';

const put = (id: string, extra = '') => {
  const body = JSON.stringify(bodies.office);
  return `PUT /internal/offices/${id} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKeys.internal}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${extra}\r\n${body}`;
};
const live = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
const last = 'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** Each test records offices of its own. */
describe('Requests that a client sends without waiting for the answers', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService();
  });
  after(() => service.stop());

  it('are all answered, in their order', async () => {
    const text = await exchangeBytes(
      service.url,
      `${live}${put('north')}GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n${put('south')}${last}`,
    );
    expect(statusesIn(text)).to.deep.equal([200, 204, 404, 204, 200]);
  });

  it('are carried out one after the other', async () => {
    const before = await service.head();
    await exchangeBytes(service.url, `${put('one')}${put('two')}${put('three')}${last}`);
    const events = await service.app.eventStore.readAll(before, 10);
    expect(events.map(({ stream }) => stream)).to.deep.equal(['office-one', 'office-two', 'office-three']);
  });

  it('are all answered up to a hundred that wait', async () => {
    const text = await exchangeBytes(service.url, live.repeat(MAX_WAITING_REQUESTS) + last);
    expect(statusesIn(text)).to.deep.equal(Array.from({ length: MAX_WAITING_REQUESTS + 1 }, () => 200));
  });

  it('cost the client its connection where more wait', async () => {
    const text = await exchangeBytes(service.url, live.repeat(10 * MAX_WAITING_REQUESTS) + last);
    expect(statusesIn(text)).to.have.length.below(MAX_WAITING_REQUESTS);
    expect((await service.send('GET', '/health/live')).status).to.equal(200);
  });

  it('are answered up to a CONNECT, which is refused where it is the first', async () => {
    const connect = 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n';
    const large = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n';
    expect(statusesIn(await exchangeBytes(service.url, connect))).to.deep.equal([400]);
    expect(statusesIn(await exchangeBytes(service.url, live + put('east') + large + connect))).to.deep.equal([
      200, 204, 200,
    ]);
  });

  it('are not carried out behind one that was refused before its body came', async () => {
    const before = await service.head();
    const body = 'a'.repeat(100_000);
    for (const bytes of [70_000, 100_000, 150_000]) {
      const refused = `PUT /internal/offices/x HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n${body.repeat(2).slice(0, bytes)}`;
      expect(statusesIn(await exchangeBytes(service.url, refused + put('behind')))).to.deep.equal([401]);
    }
    expect(await service.app.eventStore.readAll(before, 10)).to.deep.equal([]);
  });

  it('are not begun while the answer before them is not read', async () => {
    const before = await service.head();
    const large = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40);
    const hostile = await openHostile(service.url, large + put('late'), { isReading: false });
    // A later request on a connection of its own is carried out.
    await service.send('PUT', '/internal/offices/early', { body: bodies.office });
    const streams = async () => (await service.app.eventStore.readAll(before, 10)).map(({ stream }) => stream);
    expect(await streams()).to.deep.equal(['office-early']);
    // Once the client reads the answers, the request behind them is carried out as well.
    hostile.socket.resume();
    await eventually('it is carried out', async () => (await streams()).length === 2);
    hostile.socket.destroy();
  });

  it('are answered up to one that is no HTTP, and the connection then ends', async () => {
    const text = await exchangeBytes(service.url, `${put('west')}nonsense\r\n\r\n`);
    expect(statusesIn(text)).to.deep.equal([204]);
  });

  it('are all answered that came whole before one that is no HTTP', async () => {
    const text = await exchangeBytes(service.url, `${put('near')}${put('far')}${live}nonsense\r\n\r\n`);
    expect(statusesIn(text)).to.deep.equal([204, 204, 200]);
    expect(text).to.match(/\r\nConnection: close\r\n(?:[^\r\n]+\r\n)*\r\n[^\r\n]*$/);
  });

  it('are not carried out after an answer that ends the connection', async () => {
    const before = await service.head();
    const ending = put('ending', 'Connection: close\r\n');
    expect(statusesIn(await exchangeBytes(service.url, ending + put('after')))).to.deep.equal([204]);
    const refused = put('refused')
      .replace(apiKeys.internal, 'wrong')
      .replace(/Content-Length: \d+/, 'Content-Length: 90000');
    expect(statusesIn(await exchangeBytes(service.url, refused))).to.deep.equal([401]);
    const events = await service.app.eventStore.readAll(before, 10);
    expect(events.map(({ stream }) => stream)).to.deep.equal(['office-ending']);
  });

  it('have bodies that may arrive later, each in its time', async () => {
    const before = await service.head();
    const [first, second] = [put('slow'), put('slower', 'Connection: close\r\n')];
    const client = await openHostile(service.url, live + first.slice(0, -20));
    await eventually('the first is answered', () => client.received().includes('"live"'));
    client.socket.write(first.slice(-20) + second.slice(0, -20));
    await eventually('the second is answered', () => client.received().includes(' 204 '));
    client.socket.write(second.slice(-20));
    await client.closed;
    expect(statusesIn(client.received())).to.deep.equal([200, 204, 204]);
    const events = await service.app.eventStore.readAll(before, 10);
    expect(events.map(({ stream }) => stream)).to.deep.equal(['office-slow', 'office-slower']);
  });

  it('are not carried out once their client has gone', async () => {
    const before = await service.head();
    const large = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40);
    const hostile = await openHostile(service.url, large + put('gone'), { isReading: false });
    hostile.socket.once('readable', () => hostile.socket.destroy());
    await hostile.closed;
    await service.send('PUT', '/internal/offices/other', { body: bodies.office });
    const events = await service.app.eventStore.readAll(before, 10);
    expect(events.map(({ stream }) => stream)).to.deep.equal(['office-other']);
  });
});
