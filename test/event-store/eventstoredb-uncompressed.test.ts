import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';

describe('A call of the EventStoreDB client', () => {
  // EventStoreDB is given 4.5 s to answer.
  it('offers the server no compression, whatever version of the client it is', async () => {
    const server = createServer();
    const asked = once(server, 'stream') as Promise<[ServerHttp2Stream, IncomingHttpHeaders]>;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const store = openEventStoreDb({
      url: `esdb://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=1`,
      prefix: '',
      categories: [],
    });
    const read = store.readStream('any').catch(() => undefined);
    const [stream, headers] = await asked;
    expect(headers).to.include({ 'content-type': 'application/grpc' });
    expect(headers).to.not.have.property('grpc-accept-encoding');
    stream.session?.destroy();
    server.close();
    await read;
    await store.close();
  });
});
