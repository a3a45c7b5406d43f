import { expect } from 'chai';
import { setClock } from '../support/set-clock.ts';
import { startService, type Service } from '../support/service.ts';
import { createBrowser, demoConsole, pageHeaders, SESSION, signInToDemo, type Browser } from './browser.ts';

describe('The console of the demo', () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService({ console: demoConsole() });
  });
  after(() => service.stop());
  beforeEach(() => (browser = createBrowser()));

  const ask = (path: string, asking?: Parameters<Browser['ask']>[1]) => browser.ask(service.url + path, asking);
  const sessionOf = async () => (await ask('/console/session')).body;

  it('signs in by one click, and its session opens the operations of operators', async () => {
    expect(await sessionOf()).to.deep.equal({ signIn: 'demo', mode: 'on', user: null, expiresAt: null });
    expect((await ask('/admin/projections')).status).to.equal(401);

    const { status, body, setCookies } = await signInToDemo(browser, service.url, 'admin');
    expect(status).to.equal(200);
    expect(body).to.deep.include({ user: { id: 'demo-admin', isAdmin: true, isAnalyst: false } });
    expect(setCookies.map((line) => line.replace(/=[\w.-]+;/, '=…;'))).to.deep.equal([
      'hiring_console=…; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict',
    ]);
    expect(await sessionOf()).to.deep.equal(body);
    expect((await ask('/admin/projections')).status).to.equal(200);
    const paused = await ask('/admin/projections/specialties/pause', {
      method: 'POST',
      headers: pageHeaders(service.url),
      body: { confirm: 'specialties' },
    });
    expect(paused.status, paused.text).to.be.below(300);
    const acts = await ask('/admin/audit');
    expect(acts.body).to.have.nested.property('data[0].actor', 'demo-admin');
  });

  it('signs out: the cookie is gone, and counts no more', async () => {
    await signInToDemo(browser, service.url, 'analyst');
    const cookie = browser.cookie(SESSION) ?? '';
    const { status, setCookies } = await ask('/console/sign-out', {
      method: 'POST',
      headers: pageHeaders(service.url),
    });
    expect([status, setCookies]).to.deep.equal([
      204,
      ['hiring_console=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict'],
    ]);
    const again = await ask('/history/types', { headers: { Cookie: `${SESSION}=${cookie}` } });
    expect([again.status, again.body]).to.deep.equal([
      401,
      { error: 'The session of the console has ended; sign in again' },
    ]);
  });

  it('ends after an hour without use, and after eight hours of use', async () => {
    let hours = 0;
    const setRight = setClock(() => hours * 3_600_000);
    try {
      await signInToDemo(browser, service.url, 'analyst');
      const statuses: number[] = [];
      for (; hours < 9; hours += 0.9) statuses.push((await ask('/history/types')).status);
      expect(statuses).to.deep.equal([...Array<number>(9).fill(200), 401]);
      await signInToDemo(browser, service.url, 'analyst');
      hours += 0.99;
      expect((await ask('/history/types')).status).to.equal(200);
      hours += 1.01;
      expect((await ask('/history/types')).status).to.equal(401);
    } finally {
      setRight();
    }
  });
});
