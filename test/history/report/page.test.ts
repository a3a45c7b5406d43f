import { expect } from 'chai';
import { waitingApplicationsSection } from '../../../src/history/report/answer-times.ts';
import { hireTimesByProfessionSection } from '../../../src/history/report/by-group.ts';
import { darkPalette, lightPalette, type Palette } from '../../../src/history/report/style.ts';
import { largePage, madeFrom } from './large-page.ts';
import { withReports } from './stage.ts';

const pictures = (page: string): readonly string[] => page.match(/<svg[\s\S]*?<\/svg>/g) ?? [];

/** Relative luminance, as WCAG 2.2 defines it. */
const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (a: string, b: string): number => {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((one, other) => other - one);
  return (lighter + 0.05) / (darker + 0.05);
};

describe('The page of a report', () => {
  const page = largePage();

  it('says what it was made from', () => {
    expect(page)
      .to.include('position 0000000000000001 (2026-03-01T10:00:00.000Z)')
      .and.include('position 0000000000000018 (2026-03-12T10:00:00.000Z)')
      .and.include('1 March 2026 to 12 March 2026')
      .and.include('1.2.3')
      .and.include('every profession');
  });

  it('spans what was asked for, whenever something was recorded', () => {
    const february = largePage({
      from: { ...madeFrom.to, at: '2026-02-01T00:00:00.000Z' },
      to: { ...madeFrom.to, at: '2026-03-01T00:00:00.000Z' },
    });
    expect(february).to.include('1 February 2026 to 1 March 2026').and.not.include('31 January');
  });

  it('names the slowest office, also one that has not answered half of its applications', () => {
    expect(page).to.include('Greater Metropolitan Area has not answered half of them yet');
  });

  it('draws and lists applications that all wait longer than the last class', () => {
    const { picture, table } = waitingApplicationsSection.section(
      { ages: [{ class: 9, applications: 3 }], median: [{ median: 301, oldest: 344 }] },
      madeFrom,
    );
    expect(JSON.stringify(picture?.(640).content)).to.include('over 112 days: 3 (100%)');
    expect(JSON.stringify(table)).to.include('over 16 weeks');
  });

  it('compares professions only where the time to hire of several is known', () => {
    const hired = (profession: string, days: number | null) => {
      return { profession, rows: 2, hires: 1, hired: 0.5, time_to_hire: days };
    };
    const finding = (...professions: ReturnType<typeof hired>[]) =>
      hireTimesByProfessionSection.section({ professions }, madeFrom).finding;

    expect(finding(hired('hygienist', 3), hired('dentist', null))).to.equal('It is known for hygienist, 3.0 days.');
    expect(finding(hired('hygienist', 3), hired('dentist', 5))).to.equal(
      'It is shortest for hygienist, 3.0 days, and longest for dentist, 5.0 days.',
    );
  });

  it('runs no script, loads nothing, and forbids both', () => {
    expect(page).to.match(
      /http-equiv="Content-Security-Policy"\s+content="default-src &#39;none&#39;; style-src &#39;sha256-/,
    );
    expect(page).not.to.match(/<script|<link|<img|<iframe|\son\w+=|\sstyle=|href=|src=|url\(|@import/);
    expect(page).not.to.match(/https?:/);
  });

  it('has a title, a description, a table and the SQL for every picture', () => {
    expect(pictures(page)).to.have.length(24);
    for (const picture of pictures(page)) {
      expect(picture).to.match(/\srole="img"/);
      expect(picture).to.match(/<title id="[^"]+">[^<]+<\/title>\s*<desc id="[^"]+">[^<]+<\/desc>/);
    }
    expect(page.match(/<caption>[^<]+<\/caption>/g)).to.have.length(12);
    expect(page.match(/<pre><code>SELECT 1/g)).to.have.length(13);
    expect(page).to.include('SELECT 1 &lt; 2;');
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('shows what an option names as text, whatever it holds', () => {
    const odd = largePage({ profession: '<script>"\'&' });
    expect(odd).to.include('the profession &lt;script&gt;&quot;&#39;&amp;').and.not.include('<script');
  });

  it('says so where nothing has happened', async () => {
    const { page: empty } = await withReports([], (report) => report({ withPersonalData: false }));
    expect(empty).to.include('Nothing has happened yet');
    expect(pictures(empty)).to.deep.equal([]);
  });

  it('says why personal data is left out, and how to get it', () => {
    const without = largePage({ withPersonalData: false });
    expect(without)
      .to.include('Distances from where professionals live are personal data, and left out.')
      .and.include('<code>--personal-data</code>');
    expect(pictures(without)).to.have.length(22);
  });

  it('names events that are left out, a bounded number of them', () => {
    const leftOut = Array.from({ length: 30 }, (_, at) => ({
      stream: `candidate-${at}`,
      revision: 2,
      position: String(at),
    }));
    const told = largePage({}, leftOut);
    expect(told).to.include('the event 2 of candidate-19').and.include('and 10 more');
    expect(told).not.to.include('candidate-20');
  });

  for (const [name, palette] of Object.entries({ light: lightPalette, dark: darkPalette }))
    it(`has colours with contrast: ${name}`, () => {
      const { paper, land } = palette;
      const text: (keyof Palette)[] = ['ink', 'muted'];
      const shapes: (keyof Palette)[] = ['first', 'pale', 'second'];
      for (const colour of text) expect(contrast(palette[colour], paper), colour).to.be.above(4.5);
      for (const colour of shapes) expect(contrast(palette[colour], paper), colour).to.be.above(3);
      for (const colour of ['first', 'second'] as const)
        expect(contrast(palette[colour], land), `${colour} on land`).to.be.above(3);
    });
});
