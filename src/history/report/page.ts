import { createHash } from 'node:crypto';
import { momentText } from '../moment/moment.ts';
import { html, type Markup } from './markup.ts';
import { sectionMarkup, statementsMarkup, type SectionContent } from './section-markup.ts';
import { scopeStartOf, type ReportScope } from './report-section.ts';
import { STYLE } from './style.ts';
import { countText, dateText } from './words.ts';

/** What a report was made from: with the same, it is the same bytes. */
export interface ReportProvenance extends ReportScope {
  /** Version of the code. */
  readonly code: string;
}

/** A part of a page, with the statements that its numbers answer. */
interface WithStatements<Content> {
  readonly content: Content;
  readonly statements: readonly string[];
}

/** The numbers at the head of a report, by their names. */
export type HeadlineFigures = readonly (readonly [name: string, value: string])[];

/** An event that this code cannot read. */
interface UnreadableEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

/** Nothing may be loaded or run: only this style sheet counts. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** Lines about events that are left out; more would say no more. */
const MAX_UNREADABLE = 20;

const spanText = (provenance: ReportProvenance): string => {
  const { to, timeZone } = provenance;
  const until = to.at ?? to.recordedAt;
  if (to.recordedAt === null || until === null) return 'Nothing has happened yet';
  const since = scopeStartOf(provenance);
  const end = dateText(until, timeZone);
  return since === undefined ? `Up to ${end}` : `${dateText(since, timeZone)} to ${end}`;
};

const aboutText = ({ profession, state }: ReportProvenance): string =>
  [
    profession === undefined ? 'every profession' : `the profession ${profession}`,
    state === undefined ? 'every state' : `the state ${state}`,
  ].join(', ');

const totalsMarkup = (totals: HeadlineFigures): Markup =>
  html`<dl class="totals">
    ${totals.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div> `,
    )}
  </dl> `;

const unreadableText = (events: readonly UnreadableEvent[]): Markup | null =>
  events.length === 0
    ? null
    : html`<dt>Left out</dt>
        <dd>
          <ul>
            ${events
              .slice(0, MAX_UNREADABLE)
              .map(
                ({ stream, revision, position }) =>
                  html`<li>the event ${revision} of ${stream}, at ${position}, which cannot be read</li>`,
              )}${events.length > MAX_UNREADABLE ? html`<li>and ${countText(events.length - MAX_UNREADABLE)} more</li>` : null}
          </ul>
        </dd> `;

const footer = (provenance: ReportProvenance, unreadable: readonly UnreadableEvent[]): Markup =>
  html`<footer>
    <dl>
      <dt>Counted after</dt>
      <dd>${provenance.from ? momentText(provenance.from) : 'the beginning of the event log'}</dd>
      <dt>Up to</dt>
      <dd>${momentText(provenance.to)}</dd>
      <dt>Postings of</dt>
      <dd>${aboutText(provenance)}</dd>
      <dt>Days of</dt>
      <dd>${provenance.timeZone ?? 'UTC'}</dd>
      <dt>Personal data</dt>
      <dd>${provenance.withPersonalData ? 'shown; the event log records who asked for it, and why' : 'left out'}</dd>
      <dt>Version</dt>
      <dd>${provenance.code}</dd>
      ${unreadableText(unreadable)}
    </dl>
    <p>
      Made again with these positions, options and version, this page is the same to the byte. Its numbers are answers
      of the warehouse: <code>hiring history sql</code> answers the SQL below each of them,
      <code>hiring history ask</code> most measures by name. It asks nothing of any other place. Map: Cartographic
      Boundary Files of the U.S. Census Bureau.
    </p>
  </footer> `;

/** A report as one page of HTML that needs nothing else. */
export const reportPage = (
  totals: WithStatements<HeadlineFigures>,
  sections: readonly WithStatements<SectionContent>[],
  unreadable: readonly UnreadableEvent[],
  provenance: ReportProvenance,
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
          <p class="span">${spanText(provenance)} · ${aboutText(provenance)}</p>
        </header>
        <main>
          ${totalsMarkup(totals.content)}${statementsMarkup(totals.statements)}
          ${sections.map(({ content, statements }) => sectionMarkup(content, statements))}
        </main>
        ${footer(provenance, unreadable)}
      </body>
    </html> `;
  return markup;
};
