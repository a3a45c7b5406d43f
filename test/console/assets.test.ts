import { expect } from 'chai';
import { startService, type Service } from '../support/service.ts';
import { createBrowser, demoConsole } from './browser.ts';

const get = (service: Service, path: string) => createBrowser().ask(service.url + path);

describe('The page of the console', () => {
  let service: Service;
  before(async () => {
    service = await startService({ console: demoConsole() });
  });
  after(() => service.stop());

  it('runs its own files alone, talks to its own origin, and stands in no frame', async () => {
    const { status, headers } = await get(service, '/console/');
    expect(status).to.equal(200);
    expect(headers).to.include({
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers).to.have.property('x-frame-options');
  });

  it('is found without its slash, under whatever path a proxy has', async () => {
    const { status, headers } = await get(service, '/console');
    expect([status, headers.location]).to.deep.equal([301, 'console/']);
  });

  it('names files by relative addresses, which are kept for ever', async () => {
    const { text } = await get(service, '/console/');
    const names = [...text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, name = '']) => name);
    expect(names).to.have.length.above(0);
    for (const name of names) {
      expect(name).to.match(/^\.\/[\w.-]+-[A-Z0-9]{8}\.(?:js|css)$/);
      const { status, headers } = await get(service, `/console/${name.slice('./'.length)}`);
      expect([status, headers['cache-control']]).to.deep.equal([200, 'public, max-age=31536000, immutable']);
      expect(headers['content-type']).to.match(/^text\/(?:javascript|css); charset=utf-8$/);
    }
  });

  it('is beside nothing else', async () => {
    for (const path of [
      '/console/index.html',
      '/console/main.js',
      '/console/..%2fhiring.js',
      '/console/%2e%2e/hiring.js',
    ])
      expect((await get(service, path)).status, path).to.equal(404);
  });
});

describe('A service without a console', () => {
  it('has nothing there, and knows no session', async () => {
    const service = await startService();
    for (const path of ['/console', '/console/', '/console/session'])
      expect((await get(service, path)).status, path).to.equal(404);
    await service.stop();
  });
});
