import { createHash } from 'node:crypto';
import { momentText, type Moment } from '../moment/moment.ts';
import { answers } from './answers.ts';
import { distances } from './distances.ts';
import { quantile } from './durations.ts';
import type { Figures } from './figures.ts';
import { funnel } from './funnel.ts';
import { map } from './map.ts';
import { html, type Markup } from './markup.ts';
import type { StreamLeftOut } from './read-figures.ts';
import { sectionMarkup } from './section.ts';
import { stateTimes } from './state-times.ts';
import { STYLE } from './style.ts';
import { weeks } from './weeks.ts';
import { countText, dateText, durationText } from './words.ts';

/** What a report was made from: with the same, it is the same bytes. */
export interface MadeFrom {
  /** Null: from the beginning of the event log. */
  readonly from: Moment | null;
  readonly to: Moment;
  /** Version of the code. */
  readonly code: string;
  readonly profession: string | undefined;
  readonly state: string | undefined;
  readonly withPersonalData: boolean;
}

/** Nothing may be loaded or run: only this style sheet counts. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** Lines about streams that are left out; more would say no more. */
const MAX_LEFT_OUT = 20;

const spanText = ({ from, to }: MadeFrom): string => {
  if (to.recordedAt === null) return 'Nothing has happened yet';
  const [since, until] = [from?.at ?? from?.recordedAt, dateText(to.at ?? to.recordedAt)];
  return since ? `${dateText(since)} to ${until}` : `Up to ${until}`;
};

const aboutText = ({ profession, state }: MadeFrom): string =>
  [
    profession === undefined ? 'every profession' : `the profession ${profession}`,
    state === undefined ? 'every state' : `the state ${state}`,
  ].join(', ');

const totals = ({ postings, saves, applications, hires, answers: { hours } }: Figures): Markup => {
  const shown = [
    ['Postings', countText(postings)],
    ['Saved', countText(saves)],
    ['Applications', countText(applications)],
    ['Hires', countText(hires)],
    ['Median answer', durationText(quantile(hours, 0.5))],
  ];
  return html`<dl class="totals">
    ${shown.map(
      ([name = '', value = '']) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div> `,
    )}
  </dl> `;
};

const leftOutText = (streams: readonly StreamLeftOut[]): Markup | null =>
  streams.length === 0
    ? null
    : html`<dt>Left out</dt>
        <dd>
          <ul>
            ${streams
              .slice(0, MAX_LEFT_OUT)
              .map(
                ({ stream, revision, position }) =>
                  html`<li>
                    ${stream} from its event ${revision} on, at ${position}, which cannot be applied
                  </li>`,
              )}${streams.length > MAX_LEFT_OUT ? html`<li>and ${countText(streams.length - MAX_LEFT_OUT)} more streams</li>` : null}
          </ul>
        </dd> `;

const footer = (made: MadeFrom, leftOut: readonly StreamLeftOut[]): Markup =>
  html`<footer>
    <dl>
      <dt>Counted after</dt>
      <dd>${made.from ? momentText(made.from) : 'the beginning of the event log'}</dd>
      <dt>Up to</dt>
      <dd>${momentText(made.to)}</dd>
      <dt>Postings of</dt>
      <dd>${aboutText(made)}</dd>
      <dt>Personal data</dt>
      <dd>
        ${made.withPersonalData ? 'shown; the event log records who asked for it, and why' : 'left out'}
      </dd>
      <dt>Version</dt>
      <dd>${made.code}</dd>
      ${leftOutText(leftOut)}
    </dl>
    <p>
      Made again with these positions, options and version, this page is the same to the byte. It asks nothing
      of any other place. Map: Cartographic Boundary Files of the U.S. Census Bureau.
    </p>
  </footer> `;

/** A report as one page of HTML that needs nothing else. */
export const reportPage = (figures: Figures, leftOut: readonly StreamLeftOut[], made: MadeFrom): string => {
  const sections = [funnel, stateTimes, weeks, answers, map, distances].map((section) => section(figures));
  const style: Markup = { markup: `<style>${STYLE}</style>` };
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Hiring report</title>
        ${style}
      </head>
      <body>
        <header>
          <h1>Hiring report</h1>
          <p class="span">${spanText(made)} · ${aboutText(made)}</p>
        </header>
        <main>${totals(figures)}${sections.map(sectionMarkup)}</main>
        ${footer(made, leftOut)}
      </body>
    </html> `;
  return markup;
};
