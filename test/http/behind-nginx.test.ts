import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { apiKeys, bodies, ids } from '../support/examples.ts';
import { startNginx, type Nginx } from '../support/nginx.ts';
import { startService, type Service } from '../support/service.ts';
import { describeWith, nginxHere } from '../support/tools.ts';
import { putOffice } from './stories.ts';

type Headers = Readonly<Record<string, string>>;

describeWith([nginxHere], 'An ETag that nginx made weak, as it compresses the answer,', () => {
  const path = `/internal/offices/${ids.office}`;
  let service: Service;
  let nginx: Nginx;
  let etag: string;

  const send = async (method: string, headers: Headers, body?: object) => {
    const sent = request({ socketPath: nginx.socketPath, method, path, agent: false });
    for (const [name, value] of Object.entries({ 'X-API-Key': apiKeys.internal, ...headers }))
      sent.setHeader(name, value);
    sent.end(body && JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await buffer(response);
    return { status: response.statusCode, headers: response.headers };
  };
  const read = async (headers: Headers = {}) =>
    send('GET', { 'Accept-Encoding': 'gzip', 'Consistency-Token': await service.app.eventStore.head(), ...headers });
  const write = async (officeName: string, headers: Headers) =>
    (await send('PUT', { 'Content-Type': 'application/json', ...headers }, { ...bodies.office, officeName })).status;

  before(async () => {
    service = await startService();
    nginx = await startNginx(service.url);
  });
  beforeEach(async () => {
    await putOffice(service);
    const { headers } = await read();
    etag = String(headers.etag);
    expect([headers['content-encoding'], etag.slice(0, 3)]).to.deep.equal(['gzip', 'W/"']);
  });
  after(async () => {
    await nginx.stop();
    await service.stop();
  });

  it('lets one of two writes pass', async () => {
    expect(await write('One', { 'If-Match': etag })).to.equal(204);
    expect(await write('Two', { 'If-Match': etag })).to.equal(412);
  });

  it('names the answer of a read', async () => {
    expect((await read({ 'If-Match': etag })).status).to.equal(200);
    expect((await read({ 'If-None-Match': etag })).status).to.equal(304);
    expect(await write('Three', { 'If-None-Match': etag })).to.equal(412);
  });
});
