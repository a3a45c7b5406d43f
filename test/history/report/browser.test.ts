import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { chromium, type Browser, type Page } from 'playwright-core';
import { CHROMIUM, chromiumHere, describeWith } from '../../support/tools.ts';
import { largePage } from './large-page.ts';

const screens = {
  desktop: { width: 1280, height: 900 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 360, height: 780 },
} as const;

/** What a page looks like, as its own browser measures it. Runs in the browser, as text. */
const MEASURE = `(() => {
  const shown = [...document.querySelectorAll('svg')].filter((svg) => svg.getClientRects().length > 0);
  const overlaps = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const faults = shown.flatMap((svg) => {
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    const cut = texts.filter(({ box: b }) => b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1);
    const both = texts.filter((a, at) => texts.some((b, other) => other < at && overlaps(a.box, b.box)));
    return [
      ...cut.map(({ text }) => svg.id + ' cuts off ' + text),
      ...both.map(({ text }) => svg.id + ' has a text below ' + text),
    ];
  });
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    background: getComputedStyle(document.body).backgroundColor,
    pictures: shown.length,
    scale: Math.min(...shown.map((svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)),
    untold: shown.filter((svg) => !svg.querySelector('title')?.textContent || !svg.querySelector('desc')?.textContent).length,
    tables: [...document.querySelectorAll('table')].filter((table) => table.caption?.textContent).length,
    wide: [...document.querySelectorAll('.table')].filter((each) => each.scrollWidth > each.clientWidth).length,
    faults,
  };
})()`;

interface Measured {
  readonly overflow: number;
  readonly background: string;
  readonly pictures: number;
  readonly scale: number;
  readonly untold: number;
  readonly tables: number;
  readonly wide: number;
  readonly faults: readonly string[];
}

describeWith([chromiumHere], 'The page of a report in a browser', () => {
  let browser: Browser;
  let directory: string;
  let url: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-report-'));
    const file = join(directory, 'report.html');
    await writeFile(file, largePage());
    url = pathToFileURL(file).href;
    browser = await chromium.launch({ executablePath: CHROMIUM });
  });
  after(async () => {
    await browser.close();
    await rm(directory, { recursive: true });
  });

  /** Opens the page; gives it with all that it says or asks for. */
  const opened = async (options: Parameters<Browser['newPage']>[0]) => {
    const page: Page = await browser.newPage(options);
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => request.url() !== url && said.push(request.url()));
    await page.goto(url);
    return { page, said };
  };
  const measure = (page: Page): Promise<Measured> => page.evaluate<Measured>(MEASURE);

  for (const [name, viewport] of Object.entries(screens))
    for (const colorScheme of ['light', 'dark'] as const)
      it(`is whole on a ${name}, in the ${colorScheme}`, async () => {
        const { page, said } = await opened({ viewport, colorScheme });
        const { background, scale, ...measured } = await measure(page);
        expect(said).to.deep.equal([]);
        expect(measured).to.deep.equal({ overflow: 0, pictures: 12, untold: 0, tables: 12, wide: 0, faults: [] });
        expect(scale).to.be.at.least(0.95);
        expect(background).to.equal(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 24, 28)');
        await page.close();
      });

  it('is light on paper, with all rows of its tables', async () => {
    const { page } = await opened({ viewport: { width: 700, height: 990 }, colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await measure(page)).to.deep.include({ overflow: 0, background: 'rgb(255, 255, 255)', faults: [] });
    const hidden = `[...document.querySelectorAll('.long')].filter((each) => each.scrollHeight > each.clientHeight).length`;
    expect(await page.evaluate(hidden)).to.equal(0);
    await page.close();
  });

  it('needs no scripts', async () => {
    const { page, said } = await opened({ javaScriptEnabled: false });
    expect(await page.locator('svg:visible').count()).to.equal(12);
    expect(await page.locator('h1').textContent()).to.equal('Hiring report');
    expect(said).to.deep.equal([]);
    await page.close();
  });
});
