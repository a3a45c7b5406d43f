import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { chromium, type Browser, type Page } from 'playwright-core';
import { specialties } from '../../projections/specialties.ts';
import { createReadModelFileCatalog } from '../../src/read-models/embedded/read-model-files.ts';
import { bodies, ids, metadata } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { serveProcess } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { CHROMIUM, chromiumHere, describeWith } from '../support/tools.ts';
import { putEverything, save } from '../http/stories.ts';
import { consoleSecret, demoConsole } from './browser.ts';
import { clientId, clientSecret, startIssuer, startPathProxy } from './issuer.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HOSTILE = '<img src=x onerror=document.title=1>';

/** Changes what is served of the specialties, which no event explains. Returns how many documents there are. */
const plantDrift = async ({ stores: { readModels } }: Service): Promise<number> => {
  const name = `specialties_v${specialties.version}_1`;
  if (readModels.kind === 'sqlite') {
    const file = new Database(
      createReadModelFileCatalog(readModels.path).whole(`specialties@${specialties.version}.1`),
    );
    const planted = `UPDATE ${name} SET document = json_set(document, '$.name', 'Planted')`;
    const { changes } = file.prepare(planted).run();
    file.close();
    return changes;
  }
  const client = new MongoClient(readModels.url);
  const documents = client.db().collection(name);
  const { matchedCount } = await documents.updateMany({}, { $set: { 'doc.name': 'Planted' } });
  await client.close();
  return matchedCount;
};

/** Asks for an act and confirms it, by what is to be typed. */
const confirm = async (page: Page, act: string, typed: string): Promise<void> => {
  await page.getByRole('button', { name: `${act} …` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Type/).fill(typed);
  await dialog.getByLabel(/^Reason/).fill('a test');
  await dialog.getByRole('button', { name: act, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
};

describeWith([chromiumHere], 'The console in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let service: Service;
  let candidateId: string;

  before(async () => {
    service = await startService({ console: demoConsole() });
    candidateId = await putEverything(service);
    await service.send('PUT', `/internal/offices/${ids.office}`, { body: { ...bodies.office, officeName: HOSTILE } });
    await save(service);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  /** A page with all that the browser complains of. */
  const open = async (url: string, options: Parameters<Browser['newPage']>[0] = {}, hasClock = false) => {
    const page = await browser.newPage(options);
    if (hasClock) await page.clock.install();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${url}/console/`);
    return { page, complaints };
  };
  const signIn = async (page: Page, role: 'administrator' | 'analyst' = 'administrator') => {
    await page.getByRole('button', { name: `Sign in as ${role}` }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
  };
  /** What is asked every so often is asked now, on a page with a clock. */
  const laterOn = (page: Page) => page.clock.fastForward(10_000);
  const view = async (page: Page, address: string, heading: RegExp | string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  };

  const views: readonly (readonly [string, RegExp | string])[] = [
    ['#/', 'All is well'],
    ['#/projections', 'Projections'],
    ['#/projections/saved-postings', 'saved-postings'],
    ['#/parked', 'Parked streams'],
    ['#/history', 'History'],
    [`#/history/entities/posting/${ids.posting}`, `posting ${ids.posting}`],
    [`#/history/entities/posting/${ids.posting}?as=table`, `posting ${ids.posting}`],
    [`#/history/read-models/posting-candidates/${ids.posting}`, `posting-candidates of ${ids.posting}`],
    [`#/history/read-models/posting-candidates/${ids.posting}?at=2100-01-01`, `posting-candidates of ${ids.posting}`],
    [
      `#/history/read-models/posting-candidates/${ids.posting}?since=2000-01-01`,
      `posting-candidates of ${ids.posting}`,
    ],
    ['#/questions', 'Questions'],
    ['#/report', 'Report'],
    ['#/audit', 'Audit'],
  ];

  for (const colorScheme of ['light', 'dark'] as const)
    it(`shows every view to an administrator, without a finding of axe, in the ${colorScheme}`, async () => {
      const { page, complaints } = await open(service.url, {
        colorScheme,
        viewport: { width: colorScheme === 'light' ? 1440 : 390, height: 900 },
      });
      await signIn(page);
      const findings: string[] = [];
      for (const [address, heading] of views) {
        await view(page, address, heading);
        await eventually(
          `${address} is loaded`,
          async () => (await page.locator('.loading, [aria-busy=true]').count()) === 0,
        );
        await page.evaluate(`${AXE}; void 0`);
        const found: unknown = await page.evaluate(
          `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target)))`,
        );
        findings.push(...(found as string[]).map((each) => `${address}: ${each}`));
        const overflow: unknown = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        if (Number(overflow) > 0) findings.push(`${address}: ${String(overflow)} pixels too wide`);
        const header = await page.locator('header.frame').boundingBox();
        if ((header?.height ?? 0) > 130) findings.push(`${address}: a header of ${header?.height} pixels`);
      }
      expect(findings).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
      await page.close();
    });

  it('shows an analyst the history, questions and the report alone', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).to.deep.equal([
      'History',
      'Questions',
      'Report',
    ]);
    await view(page, '#/projections', 'Not for you');
    await view(page, '#/nothing', 'No such view');
    await view(page, '#/history', 'History');
    expect(await page.getByRole('button', { name: 'Show personal data …' }).count()).to.equal(0);
    await page.close();
  });

  it('has only views, and no acts, where it is read-only', async () => {
    const readOnly = await startService({ console: demoConsole('read-only') });
    const { page } = await open(readOnly.url);
    await signIn(page);
    await view(page, '#/projections/saved-postings', 'saved-postings');
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: /…/ }).count()).to.equal(0);
    await page.close();
    await readOnly.stop();
  });

  it('works behind a proxy that has it at /a/b', async () => {
    const proxy = await startPathProxy('/a/b');
    proxy.to.url = service.url;
    const { page, complaints } = await open(proxy.url);
    await signIn(page);
    for (const [address, heading] of views.slice(0, 6)) await view(page, address, heading);
    expect(complaints).to.deep.equal([]);
    await page.close();
    await proxy.close();
  });

  it('shows hostile text as text, in events and in read models', async () => {
    const { page, complaints } = await open(service.url);
    await signIn(page);
    await view(page, '#/history?type=OfficeRecorded', 'History');
    await page.locator('button.row').first().click();
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.title()).to.equal('History · Hiring');
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it('rebuilds a projection by the keyboard alone', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    await view(page, '#/projections/saved-postings', 'saved-postings');
    await page.getByRole('button', { name: 'Rebuild …' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('saved-postings');
    await page.keyboard.press('Tab');
    await page.keyboard.type('after a fix');
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name: /^saved-postings@\d+\.2$/ }).waitFor();
    await page.getByText('Both have the same').first().waitFor();
    await view(page, '#/audit', 'Audit');
    await page.getByText('reason=after a fix').first().waitFor();
    await page.close();
  });

  it('tells what a comparison has found, whose build is dropped then', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    await view(page, '#/projections/specialties', 'specialties');
    await page.getByRole('button', { name: 'Compare …' }).click();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText(/^specialties@[\d.]+ was compared .* Both have the same \d+ documents?\.$/).waitFor();
    await page.close();
  });

  it('promotes what differs, rolls back, and cancels a build, of which the audit tells', async () => {
    const own = await startService({ console: demoConsole() });
    await putEverything(own);
    await eventually('a document is changed', async () => (await plantDrift(own)) > 0);
    const { page } = await open(own.url);
    await signIn(page);
    const first = `specialties@${specialties.version}.1`;
    const rowOf = (build: string, text: string) => page.getByRole('row', { name: build }).filter({ hasText: text });
    await view(page, '#/projections/specialties', 'specialties');
    await confirm(page, 'Rebuild', 'specialties');
    await confirm(page, 'Promote', 'specialties');
    await rowOf(`specialties@${specialties.version}.2`, 'served').waitFor();
    await confirm(page, 'Roll back', 'specialties');
    await rowOf(first, 'served').waitFor();
    await page.getByLabel('Events a second at most').fill('1');
    await confirm(page, 'Rebuild', 'specialties');
    await confirm(page, 'Cancel the build', 'specialties');
    await page.getByRole('button', { name: 'Cancel the build …' }).waitFor({ state: 'detached' });
    await view(page, '#/audit', 'Audit');
    for (const act of ['rebuild', 'rollback', 'cancel'])
      await page.getByRole('link', { name: act, exact: true }).first().waitFor();
    await page.close();
    await own.stop();
  });

  it('names who recorded each event of a group', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    await view(page, `#/history/entities/posting/${ids.posting}`, `posting ${ids.posting}`);
    const events = page.locator('.timeline ol > li');
    await events.first().waitFor({ state: 'attached' });
    for (const text of await events.allTextContents()) expect(text).to.match(/, by \S+/);
    await page.close();
  });

  it('keeps what was typed where the session ends amid a form', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    await view(page, '#/projections/specialties', 'specialties');
    await page.getByRole('button', { name: 'Pause …' }).click();
    await page.getByLabel(/^Type/).fill('specialties');
    await page.getByLabel(/^Reason/).fill('a long reason');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('heading', { name: 'The session has ended' }).waitFor();
    await page.getByRole('button', { name: 'Sign in as administrator' }).click();
    await page.getByRole('heading', { name: 'The session has ended' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel(/^Reason/).inputValue()).to.equal('a long reason');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(/^Paused by demo-admin/).waitFor();
    await page.getByRole('button', { name: 'Resume …' }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText(/^Paused by demo-admin/).waitFor({ state: 'detached' });
    await page.close();
  });

  it('is not green while the service is away, and says when it was last heard', async () => {
    const { page } = await open(service.url, {}, true);
    await signIn(page);
    await view(page, '#/', 'All is well');
    await page.route('**/admin/projections', (route) => route.abort());
    await laterOn(page);
    await page.getByRole('heading', { name: 'The service was not heard' }).waitFor();
    await page.getByText(/was last heard/).waitFor();
    await page.unroute('**/admin/projections');
    await laterOn(page);
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    await page.close();
  });

  it('says so where the service is killed under an open page, and goes on by itself once it runs again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'hiring-console-'));
    const proxy = await startPathProxy('/a/b');
    const first = await serveProcess(directory, {});
    proxy.to.url = first.url;
    const { page } = await open(proxy.url);
    await signIn(page);
    await view(page, '#/', 'All is well');
    await first.end('SIGKILL');
    await page.getByRole('heading', { name: 'The service was not heard' }).waitFor();
    const second = await serveProcess(directory, {});
    proxy.to.url = second.url;
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    await page.close();
    await second.end('SIGTERM');
    await proxy.close();
    await rm(directory, { recursive: true });
  });

  it('signs in at an issuer, and comes back to the view where that was begun', async () => {
    const proxy = await startPathProxy('/a/b');
    const url = new URL(`${proxy.url}/console`);
    const issuer = await startIssuer({ redirectUri: `${url.href}/callback` });
    const secrets = { clientId, clientSecret, sessionSecret: consoleSecret };
    const settings = { mode: 'on', url, issuer: new URL(issuer.url), rolesClaim: 'roles' } as const;
    const own = await startService({ console: { kind: 'oidc', ...settings, ...secrets } });
    proxy.to.url = own.url;
    const { page, complaints } = await open(proxy.url);
    await page.evaluate('location.hash = "#/audit"');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.getByText('user-ada').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await page.close();
    await own.stop();
    await issuer.close();
    await proxy.close();
  });

  it('is not green while the service hangs', async () => {
    const { page } = await open(service.url, {}, true);
    await signIn(page);
    await view(page, '#/', 'All is well');
    await page.route('**/admin/projections', () => undefined);
    await laterOn(page);
    await page.getByRole('heading', { name: 'The service was not heard' }).waitFor();
    await page.getByText(/^The service does not answer/).waitFor();
    await page.close();
  });

  it('is not green where it cannot tell which acts have failed', async () => {
    const { page } = await open(service.url);
    await page.route('**/admin/audit?*', (route) => route.fulfill({ status: 503, body: '{}' }));
    await signIn(page);
    await page.getByRole('heading', { name: '1 thing needs you' }).waitFor();
    await page.getByText(/^Which acts of the last day have failed is not known/).waitFor();
    await page.close();
  });

  it('tells of a failed act whose dialog was closed before', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    await view(page, '#/projections/specialties', 'specialties');
    let fail = (): Promise<void> => Promise.reject(new Error('It was not asked'));
    await page.route('**/specialties/pause', (route) => {
      fail = () => route.fulfill({ status: 503, json: { error: 'The writer does not answer' } });
    });
    await page.getByRole('button', { name: 'Pause …' }).click();
    await page.getByLabel(/^Type/).fill('specialties');
    await page.getByLabel(/^Reason/).fill('a reason');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Working …' }).waitFor();
    await page.getByRole('button', { name: 'Leave it' }).click();
    await fail();
    await page.getByRole('alert').filter({ hasText: 'The writer does not answer' }).waitFor();
    await page.close();
  });

  it('leaves the other views open where one cannot be drawn', async () => {
    const { page } = await open(service.url);
    await page.route('**/admin/projections', (route) => route.fulfill({ json: { data: [null] } }));
    await signIn(page);
    await page.getByText(/^This view cannot be drawn/).waitFor();
    await page.unroute('**/admin/projections');
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.getByRole('link', { name: 'Now' }).click();
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    await page.close();
  });

  it('does not say in green that nothing is parked while the service is away', async () => {
    const { page } = await open(service.url, {}, true);
    await signIn(page);
    await view(page, '#/parked', 'Parked streams');
    await page.locator('.well').waitFor();
    await page.route('**/admin/projections', (route) => route.abort());
    await laterOn(page);
    await page.locator('.well').waitFor({ state: 'detached' });
    await page.getByText('Nothing is parked.').waitFor();
    await page.close();
  });

  it('keeps the focus where it is while it asks again', async () => {
    const { page } = await open(service.url, {}, true);
    await signIn(page);
    await view(page, '#/projections/specialties', 'specialties');
    const asked = () => page.waitForResponse('**/admin/projections');
    await page.getByLabel('Events a second at most').focus();
    await page.keyboard.type('123');
    expect(await page.getByLabel('Events a second at most').inputValue()).to.equal('123');
    const rebuild = page.getByRole('button', { name: 'Rebuild …' });
    await rebuild.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let turn = 0; turn < 2; turn++) await Promise.all([asked(), laterOn(page)]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement?.textContent')).to.equal('Rebuild …');
    await page.close();
  });

  it('shows a view for an address that is no escaped text', async () => {
    const { page, complaints } = await open(service.url);
    await signIn(page);
    await view(page, '#/projections/%E0%A4%A', '%E0%A4%A');
    await page.reload();
    await page.getByText('There is no such projection.').waitFor();
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it('asks for the events of parked streams when they are opened', async () => {
    const own = await startService({ console: demoConsole() });
    const event = { id: randomUUID(), type: 'OfficeRecorded', version: 99, data: {}, metadata };
    await own.app.eventStore.append({ stream: 'office-newer', expectedRevision: -1, events: [event] });
    const { page } = await open(own.url, {}, true);
    await signIn(page);
    let asked = 0;
    page.on('request', (request) => (asked += request.url().includes('/history/events') ? 1 : 0));
    await view(page, '#/parked', 'Parked streams');
    const parked = page.getByRole('listitem').filter({ hasText: 'saved-postings' });
    await parked.waitFor();
    await Promise.all([page.waitForResponse('**/admin/projections'), laterOn(page)]);
    expect(asked).to.equal(0);
    await parked.getByText('Event', { exact: true }).click();
    await parked.getByText('"office-newer"').waitFor();
    expect(asked).to.equal(1);
    await page.close();
    await own.stop();
  });

  it('says that signing out has failed, and shows no one as signed out who is not', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    await page.route('**/console/sign-out', (route) => route.fulfill({ status: 503 }));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText(/^You are still signed in/).waitFor();
    await page.unroute('**/console/sign-out');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in as analyst' }).click();
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    await page.close();
  });

  it('asks to sign in again whatever Escape closes, and then for what was refused', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    await view(page, '#/report', 'Report');
    await page.context().clearCookies();
    await view(page, '#/history', 'History');
    const heading = page.getByRole('heading', { name: 'The session has ended' });
    await heading.waitFor();
    for (let times = 0; times < 4; times++) await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign in as administrator' }).click();
    await heading.waitFor({ state: 'detached' });
    await page.locator('button.row').first().waitFor();
    await page.close();
  });

  it('shows no personal data longer than it says, and on no other view', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    const show = async () => {
      await page.getByRole('button', { name: 'Show personal data …' }).click();
      await page.getByLabel('Type personal data to confirm').fill('personal data');
      await page.getByLabel(/^Reason/).fill('a test');
      await page.getByRole('button', { name: 'Show', exact: true }).last().click();
      await page.getByRole('button', { name: 'Hide personal data' }).waitFor();
    };
    await view(page, '#/history?type=ProfessionalRecorded', 'History');
    await show();
    await page.locator('button.row').first().click();
    await page.locator('aside.event').waitFor();
    await page.getByRole('button', { name: 'Hide personal data' }).click();
    await page.locator('aside.event').waitFor({ state: 'detached' });

    await view(page, `#/history/entities/professional/${ids.professional}`, `professional ${ids.professional}`);
    await show();
    const asked = page.waitForRequest(/\/history\/entities\/posting\//);
    await view(page, `#/history/entities/posting/${ids.posting}`, `posting ${ids.posting}`);
    expect(await (await asked).headerValue('Personal-Data-Reason')).to.equal(null);
    await page.getByRole('button', { name: 'Show personal data …' }).waitFor();
    await page.close();
  });

  it('does not show all events for a type that there is not', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    await view(page, '#/history?type=Nonsense', 'History');
    await page.getByRole('alert').filter({ hasText: 'type' }).waitFor();
    expect(await page.locator('button.row').count()).to.equal(0);
    expect(await page.getByLabel('Type').inputValue()).to.equal('Nonsense');
    await page.close();
  });

  it('says as of when a read model is, where the moment is no event of it', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    const at = '0000000000000001';
    await view(page, `#/history/read-models/posting-candidates/${ids.posting}?at=${at}`, /^posting-candidates/);
    await page.getByText(`as of ${at}`).waitFor();
    await page.close();
  });

  it('offers what a measure can be asked by, as soon as it is chosen', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    await view(page, '#/questions', 'Questions');
    await page.getByLabel('Measure').selectOption('applications');
    await page.locator('select[name=by]').selectOption('office');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('hiring history ask applications --by office').waitFor();
    await page.close();
  });

  it('compares a read model with an earlier moment', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    const address = `#/history/read-models/posting-candidates/${ids.posting}`;
    await view(page, address, /^posting-candidates/);
    await page.getByLabel('Compared with').fill('2000-01-01');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(/^Since .*: 0 rows changed, [1-9]\d* new, 0 gone\.$/).waitFor();
    await page.getByText(`hiring history diff posting-candidates ${ids.posting} --from 2000-01-01`).waitFor();
    await page.close();
  });

  it('finds the event of a position that is typed without its zeros', async function () {
    // Those of EventStoreDB are two numbers, which nobody types.
    if (service.stores.eventStore.kind !== 'sqlite') this.skip();
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    const address = `#/history/read-models/posting-candidates/${ids.posting}`;
    await view(page, address, /^posting-candidates/);
    await page.getByRole('slider', { name: 'Moment' }).press('Home');
    const said = page.getByText(/^just after PostingRecorded at /);
    const [, zeros = '', digits = ''] = /at (0*)(\d+)/.exec((await said.textContent()) ?? '') ?? [];
    await page.goto('about:blank');
    await page.goto(`${service.url}/console/${address}?at=${digits}`);
    await page.getByText(`just after PostingRecorded at ${zeros}${digits}`).waitFor();
    await page.close();
  });

  it('tells what tables a statement can read, and what their columns hold', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    await view(page, '#/questions', 'Questions');
    await page.getByText('Tables and columns').click();
    const row = page.getByRole('row', { name: /^applications An application of a professional/ });
    const column = row.getByText('saved_at timestamp with time zone: when the posting was first saved');
    // Where the machine is busy the warehouse takes its time.
    await column.waitFor({ timeout: 100_000 });
    await page.close();
  });

  it('lists the acts of one kind, with the command that does', async () => {
    await service.send('POST', '/admin/projections/specialties/pause', {
      as: 'admin',
      body: { confirm: 'specialties' },
    });
    await service.send('POST', '/admin/projections/specialties/resume', { as: 'admin', body: {} });
    const { page } = await open(service.url);
    await signIn(page);
    await view(page, '#/audit', 'Audit');
    await page.getByRole('link', { name: 'pause', exact: true }).first().click();
    await page.getByText('hiring history audit --operation pause').waitFor();
    await page.getByRole('link', { name: 'resume' }).first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'pause', exact: true }).first().waitFor();
    await page.close();
  });

  it('draws a long story as a table, whatever it is about', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    const event = (position: number) => ({
      ...{ position: String(position).padStart(16, '0'), stream: `posting-${ids.posting}`, revision: position },
      ...{ id: `e${position}`, type: 'PostingRecorded', version: 1, recordedAt: '2026-03-02T09:00:00.000Z' },
      ...{ actor: 'u1', changes: [{ member: 'title', to: 'x' }] },
    });
    await page.route('**/history/entities/**', (route) =>
      route.fulfill({ json: { events: Array.from({ length: 50_000 }, (_, at) => event(at)), position: '1' } }),
    );
    await view(page, `#/history/entities/posting/${ids.posting}`, /^posting/);
    await page.getByText(/^50,000 events/).waitFor();
    expect(await page.evaluate('document.querySelectorAll("*").length')).to.be.below(1_000);
    await page.close();
  });

  it('draws 1,000 rows of a read model at most', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ id: `r${at}`, name: 'x' }));
    await page.route(`**/history/read-models/posting-candidates/${ids.posting}`, (route) =>
      route.fulfill({ json: { rows, withheld: [], leftOut: [], position: '1' } }),
    );
    await view(page, `#/history/read-models/posting-candidates/${ids.posting}`, /^posting-candidates/);
    await page.getByText(/^5,000 rows, of which the first 1,000/).waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(1_000);
    await page.close();
  });

  it('runs one statement at a time, and shows no answer under another statement that failed', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    let [asked, answer] = [0, (): void => undefined];
    await page.route('**/history/statements', async (route) => {
      asked++;
      await new Promise<void>((resolve) => (answer = resolve));
      if (asked === 1)
        await route.fulfill({ contentType: 'application/x-ndjson', body: '{"answer":"of the first"}\n\n' });
      else await route.fulfill({ status: 400, json: { error: 'it is no statement' } });
    });
    await view(page, '#/questions', 'Questions');
    const statement = page.getByLabel(/^One SELECT/);
    await statement.press('Control+Enter');
    await page.getByRole('button', { name: 'Running …' }).waitFor();
    await statement.press('Control+Enter');
    await eventually('it is asked', () => asked > 0);
    answer();
    await page.getByText('of the first').waitFor();
    expect(asked).to.equal(1);
    await statement.fill('SELECT nothing');
    await statement.press('Control+Enter');
    await eventually('it is asked again', () => asked > 1);
    answer();
    await page.getByText('it is no statement').waitFor();
    expect(await page.getByText('of the first').count()).to.equal(0);
    await page.close();
  });

  it('keeps a dialog open whose text is selected by dragging out of it', async () => {
    const { page } = await open(service.url);
    await signIn(page);
    await view(page, '#/projections/specialties', 'specialties');
    await page.getByRole('button', { name: 'Pause …' }).click();
    const reason = page.getByLabel(/^Reason/);
    await reason.fill('a long reason');
    await reason.hover();
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await reason.inputValue()).to.equal('a long reason');
    await page.mouse.click(5, 5);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.close();
  });

  it('gives commands that a terminal takes as they are read, and selects them where nothing can be copied', async () => {
    const { page, complaints } = await open(service.url);
    await signIn(page, 'analyst');
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await view(page, "#/history?actor=it's%03%1B%E2%80%AEx", 'History');
    const command = String.raw`hiring history search --actor $'it\'s\u0003\u001b\u202ex' --newest`;
    await page.getByText(command).waitFor();
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await eventually('it is selected', async () => (await page.evaluate('getSelection().toString()')) === command);
    expect(complaints.filter((each) => !each.includes('400'))).to.deep.equal([]);
    await page.close();
  });

  it('leads an analyst back to where they came from', async () => {
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    await view(page, '#/report', 'Report');
    await page.evaluate("location.hash = '#/projections'");
    await page.getByRole('heading', { level: 1, name: 'Not for you' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Report' }).waitFor();
    await page.close();
  });

  it('has a read model as of any event, with what that event changed, and why', async () => {
    await service.send('PATCH', `/postings/${ids.posting}/candidates/${candidateId}`, {
      as: 'admin',
      body: { isShortlisted: true },
    });
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    await view(page, `#/history/read-models/posting-candidates/${ids.posting}`, /^posting-candidates/);
    const slider = page.getByRole('slider', { name: 'Moment' });
    await slider.waitFor();
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText(/just after CandidateShortlistChanged/).waitFor();
    await page.locator('td.added', { hasText: 'true' }).waitFor();
    await page.locator('td.added', { hasText: 'true' }).getByRole('button').click();
    await page.getByText(/isShortlisted is true by CandidateShortlistChanged/).waitFor();
    await page.getByText(/explanation\?at=/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const focused = () => page.evaluate('document.activeElement.closest("td")?.cellIndex');
    const cell = await focused();
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).to.equal(Number(cell) - 1);
    await page.keyboard.press('Shift+Tab');
    expect(await focused(), 'the table is one stop of the Tab key').to.equal(undefined);
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal(Number(cell) - 1);
    await page.close();
  });

  it('needs no more memory after three hours', async function () {
    this.timeout(400_000);
    const { page } = await open(service.url, {}, true);
    await signIn(page);
    const client = await page.context().newCDPSession(page);
    const used = async () => {
      await client.send('HeapProfiler.collectGarbage');
      return (await client.send('Runtime.getHeapUsage')).usedSize;
    };
    const isOverview = (request: { url(): string }) => request.url().endsWith('/admin/projections');
    let [asked, answers] = [0, 0];
    page.on('request', (request) => {
      if (isOverview(request)) asked++;
    });
    page.on('requestfinished', (request) => {
      if (isOverview(request)) answers++;
    });
    /** It asks every 12 s. The clock stands still while an answer is due, which would be too late by it. */
    const anHour = async () => {
      for (const end = answers + 300; answers < end;) {
        await page.clock.runFor(4_000);
        if (answers < asked) await eventually('it is answered', () => answers === asked);
      }
    };
    await anHour();
    const afterOne = await used();
    await anHour();
    await anHour();
    expect(await used()).to.be.below(afterOne * 1.05);
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    await page.close();
  });

  it('draws no more rows than are seen of 100,000 events', async () => {
    const line = (position: number) =>
      JSON.stringify({
        ...{ position: String(position).padStart(16, '0'), stream: `candidate-c${position}`, revision: 0 },
        ...{ id: `e${position}`, type: 'CandidateApplied', version: 1, recordedAt: '2026-03-02T09:00:00.000Z' },
        ...{ actor: 'u1', requestId: null, correlationId: null, data: {} },
      });
    const body = `${Array.from({ length: 100_000 }, (_, at) => line(at + 1)).join('\n')}\n\n`;
    const { page } = await open(service.url);
    await signIn(page, 'analyst');
    await page.route('**/history/events?*', (route) =>
      route.fulfill({ status: 200, contentType: 'application/x-ndjson', body }),
    );
    await view(page, '#/history?order=oldest', 'History');
    await page.getByText('100,000 events').waitFor();
    const elements = 'document.querySelectorAll("*").length';
    expect(await page.evaluate(elements)).to.be.below(800);
    await page.evaluate('document.querySelector(".virtual").scrollTop = 50_000 * 36');
    await page.locator('button.row', { hasText: 'candidate-c50001' }).waitFor();
    expect(await page.evaluate(elements)).to.be.below(800);
    await page.close();
  });

  it('retries parked streams, and skips one by the keyboard alone, after a look at the event', async () => {
    // Given an event that this code cannot read
    const own = await startService({ console: demoConsole() });
    const event = { id: randomUUID(), type: 'OfficeRecorded', version: 99, data: {}, metadata };
    await own.app.eventStore.append({ stream: 'office-newer', expectedRevision: -1, events: [event] });

    const { page } = await open(own.url);
    await signIn(page);
    await view(page, '#/parked', 'Parked streams');
    const parked = page.getByRole('listitem').filter({ hasText: 'saved-postings' });
    await parked.getByText('Event', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await parked.getByText('"office-newer"').waitFor();
    for (const button of [parked.getByRole('button', { name: 'Retry …' }), page.getByText('Retry all …')]) {
      await button.click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Retry/ })
        .click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await parked.getByRole('button', { name: 'Skip …' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('saved-postings');
    await page.keyboard.press('Tab');
    await page.keyboard.type('it is of a newer version');
    await page.keyboard.press('Enter');
    await parked.waitFor({ state: 'detached' });
    await confirm(page, 'Skip all', 'skip all');
    await page.getByText('Nothing is parked.').waitFor();
    await view(page, '#/audit', 'Audit');
    for (const act of ['retry', 'skip']) await page.getByRole('link', { name: act, exact: true }).nth(1).waitFor();
    await page.close();
    await own.stop();
  });
});

describe('The page of the console', () => {
  it('has at most 60 KB of scripts, compressed', async () => {
    const service = await startService({ console: demoConsole() });
    const page = await (await fetch(`${service.url}/console/`)).text();
    let bytes = 0;
    for (const [, name = ''] of page.matchAll(/src="\.\/([^"]+\.js)"/g)) {
      const script = await fetch(`${service.url}/console/${name}`, { headers: { 'Accept-Encoding': 'gzip' } });
      expect(script.headers.get('Cache-Control')).to.equal('public, max-age=31536000, immutable');
      bytes += Number(script.headers.get('Content-Length'));
    }
    expect(bytes).to.be.above(1_000).and.at.most(60_000);
    await service.stop();
  });
});
