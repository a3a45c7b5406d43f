import { Writable } from 'node:stream';
import { expect } from 'chai';
import { createLogger } from '../../src/monitoring/logger.ts';
import { setClock } from '../support/set-clock.ts';
import { startService, type Service } from '../support/service.ts';
import { consoleSecret, createBrowser, pageHeaders, SESSION, type Browser } from './browser.ts';
import { clientId, clientSecret, startIssuer, startPathProxy, type IssuerOptions, type TestIssuer } from './issuer.ts';

type Proxy = Awaited<ReturnType<typeof startPathProxy>>;

describe('Signing in to the console at an issuer, behind a path of a proxy', () => {
  let proxy: Proxy;
  let issuer: TestIssuer;
  let service: Service;
  let browser: Browser;
  let page: string;
  let minutes: number;
  let setRight: () => void;
  let log: string[];

  const start = async (options: Omit<IssuerOptions, 'redirectUri'> = {}): Promise<void> => {
    [minutes, log] = [0, []];
    proxy = await startPathProxy('/a/b');
    page = `${proxy.url}/console`;
    issuer = await startIssuer({ redirectUri: `${page}/callback`, ...options });
    const destination = new Writable({
      write(chunk, _encoding, done) {
        log.push(String(chunk));
        done();
      },
    });
    service = await startService({
      logger: createLogger({ level: 'info', destination }),
      console: {
        kind: 'oidc',
        mode: 'on',
        url: new URL(page),
        issuer: new URL(issuer.url),
        clientId,
        clientSecret,
        sessionSecret: consoleSecret,
        rolesClaim: 'roles',
      },
    });
    proxy.to.url = service.url;
    browser = createBrowser();
    setRight = setClock(() => minutes * 60_000);
  };
  afterEach(async () => {
    setRight();
    await service.stop();
    await issuer.close();
    await proxy.close();
  });

  const isHome = ({ href }: URL) => href.startsWith(`${page}/#/`);
  const isBack = ({ href }: URL) => href.startsWith(`${page}/callback`);
  const signIn = (view = '') => browser.follow(`${page}/sign-in?view=${encodeURIComponent(view)}`, isHome);
  const sessionOf = async () => (await browser.ask(`${page}/session`)).body;
  const statusOf = async (path: string) => (await browser.ask(proxy.url + path)).status;

  for (const options of [{}, { hasRolesInToken: true }, { hasRefreshTokens: false }])
    it(`leads there and back, to the view where it was begun, and asks again each hour: ${JSON.stringify(options)}`, async () => {
      await start(options);
      expect(await sessionOf()).to.deep.equal({ signIn: 'oidc', mode: 'on', user: null, expiresAt: null });
      const { url, setCookies } = await signIn('/projections?name=a%20b');
      expect(url.href).to.equal(`${page}/#/projections?name=a%20b`);
      expect(setCookies.map((line) => line.replace(/^(\w+)=[^;]+/, '$1=…'))).to.deep.equal([
        'hiring_console_sign_in=; Max-Age=0; Path=/a/b/console; HttpOnly; SameSite=Lax',
        'hiring_console=…; Max-Age=3600; Path=/a/b/; HttpOnly; SameSite=Strict',
      ]);
      expect(await sessionOf()).to.deep.include({ user: { id: 'user-ada', isAdmin: true, isAnalyst: false } });
      expect(await statusOf('/admin/audit')).to.equal(200);

      const asked = issuer.asked();
      for (const at of [50, 100, 150, 200]) {
        minutes = at;
        expect(await statusOf('/history/types'), `after ${at} minutes`).to.equal(
          at === 200 && options.hasRefreshTokens === false ? 401 : 200,
        );
      }
      expect(issuer.asked()).to.be.above(asked);
    });

  it('keeps the state for ten minutes in a cookie for the console alone', async () => {
    await start();
    const begun = await browser.ask(`${page}/sign-in`);
    expect(begun.setCookies.map((line) => line.replace(/^(\w+)=[^;]+/, '$1=…'))).to.deep.equal([
      'hiring_console_sign_in=…; Max-Age=600; Path=/a/b/console; HttpOnly; SameSite=Lax',
    ]);
    const { searchParams } = new URL(begun.headers.location ?? '');
    expect(Object.fromEntries(searchParams)).to.include({
      client_id: clientId,
      code_challenge_method: 'S256',
      redirect_uri: `${page}/callback`,
      response_type: 'code',
      scope: 'openid offline_access',
    });
    const back = await browser.follow(begun.headers.location ?? '', isBack);
    minutes = 11;
    expect((await browser.follow(back.url, isHome)).url.hash).to.equal('#/sign-in?failure=expired');
  });

  it('fails for another state, and for a code that was used', async () => {
    await start();
    const back = await browser.follow(`${page}/sign-in`, isBack);
    const forged = new URL(back.url);
    forged.searchParams.set('state', 'of-another');
    expect((await browser.follow(forged, isHome)).url.hash).to.equal('#/sign-in?failure=expired');
    // The attempt is over with that.
    expect((await browser.follow(back.url, isHome)).url.hash).to.equal('#/sign-in?failure=expired');

    const first = await browser.follow(`${page}/sign-in`, isBack);
    expect((await browser.follow(first.url, isHome)).url.hash).to.equal('#/');
    const second = await browser.follow(`${page}/sign-in`, isBack);
    second.url.searchParams.set('code', first.url.searchParams.get('code') ?? '');
    expect((await browser.follow(second.url, isHome)).url.hash).to.equal('#/sign-in?failure=refused');
  });

  it('is refused without a role, and for an id that is none', async () => {
    await start();
    issuer.user.roles = ['office'];
    expect((await signIn()).url.hash).to.equal('#/sign-in?failure=no-role');
    issuer.user.roles = undefined;
    expect((await signIn()).url.hash).to.equal('#/sign-in?failure=no-role');
    issuer.user.id = 'two words';
    browser = createBrowser();
    expect((await signIn()).url.hash).to.equal('#/sign-in?failure=refused');
    expect(await sessionOf()).to.deep.include({ user: null });
  });

  it('says where the issuer cannot be reached, and signs in once it can be', async () => {
    await start();
    await issuer.close();
    expect((await signIn()).url.hash).to.equal('#/sign-in?failure=unavailable');
    expect(log.join('')).to.include('The issuer of the console could not be reached');
    issuer = await startIssuer({ redirectUri: `${page}/callback` });
  });

  it('ends where the role is lost when it is asked again, also for the cookie of before', async () => {
    await start();
    await signIn();
    const before = browser.cookie(SESSION) ?? '';
    issuer.user.roles = ['analyst'];
    minutes = 55;
    expect(await statusOf('/admin/audit')).to.equal(200);
    minutes = 65;
    expect(await Promise.all(['/admin/audit', '/history/types'].map(statusOf))).to.deep.equal([403, 200]);
    issuer.user.roles = [];
    minutes = 115;
    expect(await statusOf('/history/types')).to.equal(200);
    minutes = 130;
    expect(await statusOf('/history/types')).to.equal(401);
    issuer.user.roles = ['admin'];
    expect(await statusOf('/history/types')).to.equal(401);
    minutes = 59;
    const { status } = await browser.ask(`${proxy.url}/history/types`, { headers: { Cookie: `${SESSION}=${before}` } });
    expect(status).to.equal(401);
  });

  it('shows no token, code or secret to the page or in the application log', async () => {
    await start();
    await signIn();
    minutes = 40;
    await statusOf('/admin/projections');
    minutes = 61;
    await statusOf('/admin/projections');
    const back = await browser.follow(`${page}/sign-in`, isBack);
    await browser.ask(`${back.url.href}x`);
    await browser.ask(`${page}/sign-out`, { method: 'POST', headers: pageHeaders(page) });
    expect(issuer.tokens.size).to.be.above(4);
    const codes = browser.seen.flatMap(({ url }) => url.searchParams.get('code') ?? []);
    expect(codes).to.have.length.above(0);
    const cookies = browser.seen.flatMap(({ setCookies }) =>
      setCookies.flatMap((line) => /^hiring_console\w*=([^;]{20,})/.exec(line)?.[1] ?? []),
    );
    const shown = browser.seen
      .filter(({ url }) => url.href.startsWith(page))
      .map(({ text, headers }) => text + JSON.stringify(headers));
    const secrets = [...issuer.tokens, clientSecret, consoleSecret];
    for (const secret of secrets) expect(shown.join('').includes(secret), 'shown').to.equal(false);
    for (const secret of [...secrets, ...codes, ...cookies])
      expect(log.join('').includes(secret), 'logged').to.equal(false);
    expect(log.join('')).to.include('"actor":"user-ada"').and.to.include('"key":"console"');
  });
});
