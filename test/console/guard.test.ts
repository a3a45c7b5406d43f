import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { createSessionManager, type Session } from '../../src/console/session-manager.ts';
import type { ConsoleSettings } from '../../src/console/settings.ts';
import { apiKeys } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { setClock } from '../support/set-clock.ts';
import { startService, tokenFor, type Service } from '../support/service.ts';
import { operations, type Operation } from '../http/operations.ts';
import {
  consoleSecret,
  createBrowser,
  demoConsole,
  pageHeaders,
  SESSION,
  signInToDemo,
  type Browser,
} from './browser.ts';

const roles = ['admin', 'analyst'] as const;
type Role = (typeof roles)[number];
type Mode = ConsoleSettings['mode'];

const isOpened = ({ path }: Operation) => /^\/(?:admin\/(?:projections|audit)|history)\b/.test(path);
const isRead = ({ method, name }: Operation) => method === 'GET' || name === 'runStatement';
const isAllowed = ({ as }: Operation, role: Role) => as === role || role === 'admin';

/** What is answered to a session: the status of a refusal, or 200 for any other answer. */
const expected = (operation: Operation, role: Role, mode: Mode): number => {
  if (!isOpened(operation)) return 401;
  return (mode === 'on' || isRead(operation)) && isAllowed(operation, role) ? 200 : 403;
};

for (const mode of ['on', 'read-only'] as const)
  describe(`A session of a console that is ${mode}`, function () {
    this.timeout(120_000);
    let service: Service;
    before(async () => {
      service = await startService({ console: demoConsole(mode) });
    });
    after(() => service.stop());

    for (const role of roles)
      it(`opens what the role ${role} may do, and nothing beside operators' operations`, async () => {
        const browser = createBrowser();
        expect((await signInToDemo(browser, service.url, role)).body).to.include({ mode });
        const wrong: string[] = [];
        for (const operation of operations) {
          const { method, path, body } = operation;
          const { status, text } = await browser.ask(service.url + path, {
            method,
            body,
            headers: pageHeaders(service.url),
          });
          const found = [401, 403].includes(status) ? status : 200;
          if (found !== expected(operation, role, mode))
            wrong.push(`${operation.name}: ${status} ${text.slice(0, 200)}`);
          const without = await createBrowser().ask(service.url + path, { method, body });
          if (!isOpened(operation) && text !== without.text) wrong.push(`${operation.name}: another text`);
        }
        expect(wrong).to.deep.equal([]);
      });
  });

describe('What may use a session', () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    service = await startService({ console: demoConsole() });
  });
  after(() => service.stop());
  beforeEach(async () => {
    browser = createBrowser();
    await signInToDemo(browser, service.url, 'admin');
  });

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    browser.ask(service.url + path, { method, headers, ...(method === 'POST' && { body: {} }) });
  const resume = '/admin/projections/specialties/resume';
  const LOOPBACK = 'The console of the demo is for requests whose Host and Origin are loopback names';

  for (const [what, headers, status, error] of [
    ['its page', {}, 200, undefined],
    ['another host, as of DNS rebinding', { Host: 'rebound.example.com' }, 403, LOOPBACK],
    ['a host that begins like a loopback one', { Host: '127.0.0.1.example.com' }, 403, LOOPBACK],
    ['a foreign page', { Origin: 'https://example.com' }, 403, LOOPBACK],
    ['a page without an origin', { Origin: 'null' }, 403, LOOPBACK],
    ['another loopback name', { Host: 'localhost:80', Origin: 'http://[::1]:81' }, 200, undefined],
    ['a form, which sets no header', { 'X-Console': '' }, 403, 'The header X-Console must be 1'],
  ] as const)
    it(`${status === 200 ? 'may' : 'may not'}: ${what}`, async () => {
      const answer = await ask(resume, { ...pageHeaders(service.url), ...headers }, 'POST');
      expect(answer.status).to.equal(status);
      if (error !== undefined) expect(answer.body).to.deep.equal({ error });
      if (error !== LOOPBACK) return;
      for (const path of ['/admin/projections', '/history/types'])
        expect((await ask(path, headers)).body, path).to.deep.equal({ error });
      expect((await ask('/console/session', headers)).body).to.deep.include({ user: null });
      for (const path of ['sign-in', 'sign-out'])
        expect((await ask(`/console/${path}`, { ...pageHeaders(service.url), ...headers }, 'POST')).status).to.equal(
          403,
        );
      expect((await ask('/admin/projections')).status).to.equal(200);
    });

  it('may not: what names no origin', async () => {
    expect((await ask(resume, { 'X-Console': '1' }, 'POST')).body).to.deep.equal({
      error: 'The header Origin is missing',
    });
  });

  it('counts for nothing beside another credential', async () => {
    const Authorization = `Bearer ${await tokenFor({ sub: 'user-nobody' })}`;
    for (const [headers, status] of [
      [{ 'X-API-Key': 'unknown' }, 401],
      [{ 'X-API-Key': apiKeys.client }, 401],
      [{ Authorization }, 401],
      [{ 'X-API-Key': apiKeys.client, Authorization }, 403],
    ] as const)
      expect((await ask('/admin/audit', headers)).status, JSON.stringify(headers)).to.equal(status);
  });

  it('is refused where the cookie was changed, or is of another service or purpose', async () => {
    const own = browser.cookie(SESSION) ?? '';
    const foreign = createSessionManager({ secret: `${consoleSecret}!`, refresh: () => Promise.resolve(undefined) });
    const user = { id: 'user-eve', isAdmin: true, isAnalyst: false };
    const plain = Buffer.from(JSON.stringify({ value: { user } })).toString('base64url');
    for (const cookie of [
      '',
      'x',
      own.slice(0, -1) + (own.endsWith('A') ? 'Q' : 'A'),
      own.replace(/^[^.]*/, Buffer.from('{"alg":"none"}').toString('base64url')),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${plain}.`,
      await foreign.seal(foreign.begin({ user, grant: null })),
      own + 'A'.repeat(8_000),
    ]) {
      const answer = await ask('/admin/audit', { Cookie: `${SESSION}=${cookie}` });
      expect([answer.status, answer.headers['error-code']], cookie).to.deep.equal([401, 'unauthenticated']);
    }
  });

  it('ends streams when its user signs out, and when it is over', async () => {
    const open = async (path: string): Promise<IncomingMessage> => {
      const headers = { Cookie: `${SESSION}=${browser.cookie(SESSION) ?? ''}` };
      const request = get(service.url + path, { headers, agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.statusCode).to.equal(200);
      return response.setEncoding('utf8');
    };
    const textOf = async (response: IncomingMessage): Promise<string> => (await response.toArray()).join('');
    const paths = ['/admin/projections/events', '/history/events?follow=true'];

    const texts = (await Promise.all(paths.map(open))).map(textOf);
    await browser.ask(`${service.url}/console/sign-out`, { method: 'POST', headers: pageHeaders(service.url) });
    const [news] = await Promise.all(texts);
    expect(news).to.match(/event: expired\ndata: \{\}\n\n$/);

    // A second before the hour is over, by the clock.
    await signInToDemo(browser, service.url, 'admin');
    const setRight = setClock(() => 3_599_000);
    try {
      const late = (await Promise.all(paths.map(open))).map(textOf);
      expect((await Promise.all(late))[0]).to.match(/event: expired\ndata: \{\}\n\n$/);
    } finally {
      setRight();
    }
  });
});

describe('Where signing in is by an issuer', () => {
  const page = new URL('https://ops.example.com/hiring/console');
  const sessions = createSessionManager({ secret: consoleSecret, refresh: () => Promise.resolve(undefined) });
  let service: Service;
  before(async () => {
    service = await startService({
      console: {
        kind: 'oidc',
        mode: 'on',
        url: page,
        issuer: new URL('https://id.example.com'),
        clientId: 'console',
        clientSecret: 'of the client',
        sessionSecret: consoleSecret,
        rolesClaim: 'roles',
      },
      anonymousRateLimit: { perSecond: 1 / 1_000, burst: 3 },
    });
  });
  after(() => service.stop());
  const ask = async (session: Session, path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    createBrowser().ask(service.url + path, {
      method,
      headers: { Host: 'inside:8080', Cookie: `${SESSION}=${await sessions.seal(session)}`, ...headers },
    });
  const session = (more: Partial<Session> = {}): Session => ({
    ...sessions.begin({ user: { id: 'user-ada', isAdmin: true, isAnalyst: false }, grant: null }),
    ...more,
  });

  it('takes the origin of CONSOLE_URL alone, whatever host a proxy names', async () => {
    const resume = '/admin/projections/specialties/resume';
    for (const [Origin, status] of [
      [page.origin, 200],
      ['https://ops.example.com:444', 403],
      ['http://ops.example.com', 403],
      ['http://127.0.0.1', 403],
      ['null', 403],
    ] as const)
      expect((await ask(session(), resume, { Origin, 'X-Console': '1' }, 'POST')).status, Origin).to.equal(status);
    expect((await ask(session(), '/admin/audit')).status).to.equal(200);
    expect((await ask(session(), '/admin/audit', { Origin: 'https://example.com' })).status).to.equal(403);
  });

  it('sets the cookie anew once it is five minutes old, for TLS alone, and not for a page that only follows', async () => {
    const lately = session({ usedAt: Date.now() - 4 * 60_000 });
    expect((await ask(lately, '/admin/audit')).setCookies).to.deep.equal([]);
    const before = session({ usedAt: Date.now() - 6 * 60_000 });
    const { setCookies } = await ask(before, '/admin/audit');
    expect(setCookies.join().replace(/=[^;]+/, '=…')).to.equal(
      'hiring_console=…; Max-Age=3600; Path=/hiring/; HttpOnly; SameSite=Strict; Secure',
    );
    expect((await ask(before, '/admin/projections/events', {}, 'HEAD')).setCookies).to.deep.equal([]);
  });

  it('is no anonymous caller while the session lasts, and is one afterwards', async () => {
    for (let time = 0; time < 5; time += 1) {
      expect((await ask(session(), '/admin/audit')).status).to.equal(200);
      // The page and its files cost nothing.
      for (const path of ['/console', '/console/', '/console/?x']) {
        const { status } = await createBrowser().ask(service.url + path);
        expect(status).to.be.below(400);
      }
    }
    const ended = session({ usedAt: Date.now() - 3_601_000 });
    const statuses: number[] = [];
    await eventually('the limit is reached', async () => {
      statuses.push((await ask(ended, '/admin/audit')).status);
      return statuses.at(-1) === 429;
    });
    expect(statuses).to.deep.equal([401, 401, 401, 429]);
    expect((await ask(session(), '/admin/audit')).status).to.equal(200);
  });
});
