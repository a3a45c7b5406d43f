import { expect } from 'chai';
import { apiKeys, bodies, ids } from '../examples.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { openHostile } from './hostile-socket.ts';
import { eventually } from '../eventually.ts';
import { exchangeBytes } from './raw-socket.ts';

const put = (id: string, extra = '') => {
  const body = JSON.stringify(bodies.office);
  return `PUT /internal/offices/${id} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKeys.internal}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${extra}\r\n${body}`;
};
const live = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
const last = 'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe('Requests that a client sends without waiting for the answers', () => {
  let service: CheckedService;
  beforeEach(async () => {
    service = await startCheckedService();
  });
  afterEach(() => service.stop());

  it('are all answered, in their order', async () => {
    const text = await exchangeBytes(
      service.url,
      `${live}${put('one')}GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n${put('two')}${last}`,
    );
    expect(statusesIn(text)).to.deep.equal([200, 204, 404, 204, 200]);
  });

  it('are carried out one after the other', async () => {
    const before = await service.head();
    await exchangeBytes(service.url, `${put('one')}${put('two')}${put('three')}${last}`);
    const events = await service.app.eventStore.readAll(before, 10);
    expect(events.map(({ stream }) => stream)).to.deep.equal(['office-one', 'office-two', 'office-three']);
  });

  it('are all answered where they are many more than are read at a time', async () => {
    const many = 20_000;
    const text = await exchangeBytes(service.url, live.repeat(many) + last);
    const statuses = statusesIn(text);
    expect(statuses).to.have.lengthOf(many + 1);
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });

  it('are not begun while the answer before them is not read', async () => {
    const before = await service.head();
    const large = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40);
    const hostile = await openHostile(service.url, large + put(ids.office), { isReading: false });
    // A request after it, on a connection of its own, is carried out.
    await service.send('PUT', '/internal/offices/other', { body: bodies.office });
    const streams = async () =>
      (await service.app.eventStore.readAll(before, 10)).map(({ stream }) => stream);
    expect(await streams()).to.deep.equal(['office-other']);
    // Once the answers are read, the one behind them is carried out as well.
    hostile.socket.resume();
    await eventually('it is carried out', async () => (await streams()).length === 2);
    hostile.socket.destroy();
  });

  it('are answered up to one that is no HTTP, and the connection then ends', async () => {
    const text = await exchangeBytes(service.url, `${put('one')}nonsense\r\n\r\n`);
    expect(statusesIn(text)).to.deep.equal([204]);
  });

  it('are not carried out once their client has gone', async () => {
    const before = await service.head();
    const large = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40);
    const hostile = await openHostile(service.url, large + put(ids.office), { isReading: false });
    hostile.socket.destroy();
    await service.send('PUT', '/internal/offices/other', { body: bodies.office });
    const events = await service.app.eventStore.readAll(before, 10);
    expect(events.map(({ stream }) => stream)).to.deep.equal(['office-other']);
  });
});
