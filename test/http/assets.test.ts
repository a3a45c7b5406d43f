import { expect } from 'chai';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { createAsset } from '../../src/http/asset.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';

const paths = ['/docs', '/docs/start.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/openapi.json'];

describe('What is the same for every client', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService();
  });
  after(() => service.stop());

  /** Without fetch, which would decompress the body. */
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    new Promise<{ status: number | undefined; header: (name: string) => unknown; body: Buffer }>((resolve, reject) => {
      const asked = request(service.url + path, { method, headers }, (response) => {
        buffer(response).then(
          (body) => resolve({ status: response.statusCode, header: (name) => response.headers[name], body }),
          reject,
        );
      });
      asked.on('error', reject);
      asked.end();
    });

  for (const path of paths) {
    it(`is packed where the client takes that: ${path}`, async () => {
      const plain = await get(path);
      const packed = await get(path, { 'Accept-Encoding': 'br;q=1, gzip' });
      expect(plain.header('content-encoding')).to.equal(undefined);
      expect(packed.header('content-encoding')).to.equal('gzip');
      expect(gunzipSync(packed.body).equals(plain.body)).to.equal(true);
      for (const { header, body } of [plain, packed]) {
        expect(header('vary')).to.equal('Accept-Encoding');
        expect(header('content-length')).to.equal(String(body.length));
      }
      expect((await get(path, { 'Accept-Encoding': 'gzip;q=0' })).header('content-encoding')).to.equal(undefined);
    });

    it(`is a 304 without a body where the client has it: ${path}`, async () => {
      const etag = String((await get(path)).header('etag'));
      expect(etag).to.match(/^W\/"[\w-]{43}"$/);
      for (const given of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const { status, body, header } = await get(path, { 'If-None-Match': given });
        expect([status, body.length], given).to.deep.equal([304, 0]);
        expect(header('etag')).to.equal(etag);
      }
      for (const given of ['"other"', etag.toUpperCase()])
        expect((await get(path, { 'If-None-Match': given })).status, given).to.equal(200);
    });

    it(`has no body for HEAD: ${path}`, async () => {
      const { status, body, header } = await get(path, {}, 'HEAD');
      expect([status, body.length]).to.deep.equal([200, 0]);
      expect(header('content-length')).to.equal(String((await get(path)).body.length));
    });
  }
});

describe('Content that the service makes', () => {
  it('is made for the first client that asks, and once', async () => {
    let made = 0;
    const { content } = createAsset('text/plain', () => `made ${++made}`);
    expect(made).to.equal(0);
    const [first, meanwhile] = await Promise.all([content(), content()]);
    expect(meanwhile).to.equal(first);
    expect(await content()).to.equal(first);
    const [packed, packedMeanwhile] = await Promise.all([first.gzipped(), first.gzipped()]);
    expect(packedMeanwhile).to.equal(packed);
    expect(made).to.equal(1);
  });

  it('is made again for the next client where that failed', async () => {
    const tries = [Promise.reject(new Error('too many open files')), Promise.resolve(Buffer.from('text'))];
    const { content } = createAsset('text/plain', () => tries.shift() ?? 'more');
    expect(await content().catch((error: unknown) => String(error))).to.equal('Error: too many open files');
    expect((await content()).plain.toString()).to.equal('text');
  });
});
