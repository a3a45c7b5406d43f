import { createHash } from 'node:crypto';
import { momentText } from '../moment/moment.ts';
import { html, type Markup } from './markup.ts';
import { sectionMarkup, statementsMarkup, type Section } from './section.ts';
import { sinceOf, type ReportScope } from './source.ts';
import { STYLE } from './style.ts';
import { countText, dateText } from './words.ts';

/** What a report was made from: with the same, it is the same bytes. */
export interface MadeFrom extends ReportScope {
  /** Version of the code. */
  readonly code: string;
}

/** A part of a page, with the statements that its numbers answer. */
export interface Answered<What> {
  readonly shown: What;
  readonly statements: readonly string[];
}

/** The numbers at the head of a report, by their names. */
export type Totals = readonly (readonly [name: string, value: string])[];

/** An event that this code cannot read. */
export interface EventLeftOut {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

/** Nothing may be loaded or run: only this style sheet counts. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** Lines about events that are left out; more would say no more. */
const MAX_LEFT_OUT = 20;

const spanText = (made: MadeFrom): string => {
  const { to, timeZone } = made;
  const until = to.at ?? to.recordedAt;
  if (to.recordedAt === null || until === null) return 'Nothing has happened yet';
  const since = sinceOf(made);
  const end = dateText(until, timeZone);
  return since === undefined ? `Up to ${end}` : `${dateText(since, timeZone)} to ${end}`;
};

const aboutText = ({ profession, state }: MadeFrom): string =>
  [
    profession === undefined ? 'every profession' : `the profession ${profession}`,
    state === undefined ? 'every state' : `the state ${state}`,
  ].join(', ');

const totalsMarkup = (totals: Totals): Markup =>
  html`<dl class="totals">
    ${totals.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div> `,
    )}
  </dl> `;

const leftOutText = (events: readonly EventLeftOut[]): Markup | null =>
  events.length === 0
    ? null
    : html`<dt>Left out</dt>
        <dd>
          <ul>
            ${events
              .slice(0, MAX_LEFT_OUT)
              .map(
                ({ stream, revision, position }) =>
                  html`<li>the event ${revision} of ${stream}, at ${position}, which cannot be read</li>`,
              )}${events.length > MAX_LEFT_OUT ? html`<li>and ${countText(events.length - MAX_LEFT_OUT)} more</li>` : null}
          </ul>
        </dd> `;

const footer = (made: MadeFrom, leftOut: readonly EventLeftOut[]): Markup =>
  html`<footer>
    <dl>
      <dt>Counted after</dt>
      <dd>${made.from ? momentText(made.from) : 'the beginning of the event log'}</dd>
      <dt>Up to</dt>
      <dd>${momentText(made.to)}</dd>
      <dt>Postings of</dt>
      <dd>${aboutText(made)}</dd>
      <dt>Days of</dt>
      <dd>${made.timeZone ?? 'UTC'}</dd>
      <dt>Personal data</dt>
      <dd>
        ${made.withPersonalData ? 'shown; the event log records who asked for it, and why' : 'left out'}
      </dd>
      <dt>Version</dt>
      <dd>${made.code}</dd>
      ${leftOutText(leftOut)}
    </dl>
    <p>
      Made again with these positions, options and version, this page is the same to the byte. Its numbers are
      answers of the warehouse: <code>hiring history sql</code> answers the SQL below each of them,
      <code>hiring history ask</code> most measures by name. It asks nothing of any other place. Map:
      Cartographic Boundary Files of the U.S. Census Bureau.
    </p>
  </footer> `;

/** A report as one page of HTML that needs nothing else. */
export const reportPage = (
  totals: Answered<Totals>,
  sections: readonly Answered<Section>[],
  leftOut: readonly EventLeftOut[],
  made: MadeFrom,
): string => {
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
        <main>
          ${totalsMarkup(totals.shown)}${statementsMarkup(totals.statements)}
          ${sections.map(({ shown, statements }) => sectionMarkup(shown, statements))}
        </main>
        ${footer(made, leftOut)}
      </body>
    </html> `;
  return markup;
};
