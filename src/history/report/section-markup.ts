import { html, type Markup } from './markup.ts';
import type { Drawing, DrawPicture } from './svg.ts';

/** Numbers in rows; the first column names each row. */
interface TableContent {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One picture of a report with its numbers and what they say. */
export interface SectionContent {
  readonly id: string;
  readonly title: string;
  /** What the picture shows, in a sentence or two. */
  readonly finding: string;
  /** Null where there is nothing to draw. */
  readonly picture: DrawPicture | null;
  /** What the colours mean, where there are several. */
  readonly legend?: readonly { readonly swatch: string; readonly text: string }[];
  readonly table?: TableContent;
  /** How it is counted. */
  readonly note: string | Markup;
}

/** Rows as a table: the cells of each column, by its name. */
export const toTableContent = <Row>(
  caption: string,
  rows: readonly Row[],
  cells: Readonly<Record<string, (row: Row) => string>>,
): TableContent => ({
  caption,
  columns: Object.keys(cells),
  rows: rows.map((row) => Object.values(cells).map((cellOf) => cellOf(row))),
});

const WIDE = 640;
const NARROW = 328;
/** More rows than these are scrolled through on a screen. */
const MANY_ROWS = 14;

const tableMarkup = ({ caption, columns, rows }: TableContent): Markup =>
  html`<div
    class="table${rows.length > MANY_ROWS ? ' long' : ''}"
    ${rows.length > MANY_ROWS ? html` tabindex="0" role="region" aria-label="${caption}"` : null}
  >
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name = '', ...cells]) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;

const legendOf = (legend: NonNullable<SectionContent['legend']>): Markup | null =>
  legend.length === 0
    ? null
    : html`<p class="legend">
        ${legend.map(({ swatch, text }) => html`<span><i class="swatch ${swatch}"></i>${text}</span> `)}
      </p> `;

/** An image, which says to those who do not see it what its section says. */
const imageOf = ({ title, finding }: SectionContent, { height, content }: Drawing, id: string, width: number): Markup =>
  html`<svg
    id="${id}"
    viewBox="0 0 ${width} ${height}"
    width="${width}"
    height="${height}"
    role="img"
    aria-labelledby="${id}-title ${id}-desc"
  >
    <title id="${id}-title">${title}</title>
    <desc id="${id}-desc">${finding}</desc>
    ${content}
  </svg>`;

/** What was asked, folded. */
export const statementsMarkup = (statements: readonly string[]): Markup =>
  html`<details>
    <summary>SQL</summary>
    <pre><code>${statements.map((statement) => `${statement};`).join('\n\n')}</code></pre>
  </details> `;

/** @param statements that its numbers answer */
export const sectionMarkup = (section: SectionContent, statements: readonly string[]): Markup => {
  const { id, title, finding, picture, legend = [], table, note } = section;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <p class="finding">${finding}</p>
    ${
      picture &&
      html`<div class="beside">
        <figure>
          ${legendOf(legend)}
          <div class="wide">${imageOf(section, picture(WIDE), `${id}-wide`, WIDE)}</div>
          <div class="narrow">${imageOf(section, picture(NARROW), `${id}-narrow`, NARROW)}</div>
        </figure>
        ${table ? tableMarkup(table) : null}
      </div> `
    }
    <p class="note">${note}</p>
    ${statements.length > 0 ? statementsMarkup(statements) : null}
  </section> `;
};
