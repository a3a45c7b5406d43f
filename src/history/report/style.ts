/**
 * The style sheet of a report: light and dark by the reader's setting, for screens from 360 px on and for paper.
 * Colours of text have a contrast of at least 4.5 with what is behind them, those of pictures 3 (WCAG 2.2).
 */

export type Palette = Readonly<
  Record<'paper' | 'ink' | 'muted' | 'rule' | 'first' | 'pale' | 'second' | 'land', string>
>;

export const lightPalette: Palette = {
  paper: '#ffffff',
  ink: '#1c2329',
  muted: '#57626c',
  rule: '#dde2e6',
  first: '#14616f',
  pale: '#6f9aa3',
  second: '#b4541a',
  land: '#eef1f3',
};

export const darkPalette: Palette = {
  paper: '#14181c',
  ink: '#e8ebee',
  muted: '#9aa5af',
  rule: '#2e363d',
  first: '#6cc3d1',
  pale: '#44798a',
  second: '#ec9a5f',
  land: '#20272d',
};

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}: ${colour};`)
    .join(' ');

/** The colours, light and dark by the reader's setting; the console has the same. */
export const COLOR_CSS = `:root { color-scheme: light dark; ${variables(lightPalette)} }
@media (prefers-color-scheme: dark) { :root { ${variables(darkPalette)} } }`;

export const STYLE = `
${COLOR_CSS}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 3.5rem 2rem 4rem; max-width: 72rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums lining-nums;
}
h1 { margin: 0; font-size: 2.25rem; line-height: 1.15; letter-spacing: -0.02em; font-weight: 650; }
h2 { margin: 0; font-size: 1.375rem; line-height: 1.25; letter-spacing: -0.01em; font-weight: 650; }
p { margin: 0; }
header .span { margin-top: 0.5rem; font-size: 1.125rem; color: var(--muted); }
.totals { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 2.25rem 0 0; border-top: 1px solid var(--rule); border-bottom: 1px solid var(--rule); }
.totals div { flex: 1 0 8rem; padding: 0.9rem 0; }
.totals dt { font-size: 0.875rem; color: var(--muted); }
.totals dd { margin: 0; font-size: 1.625rem; line-height: 1.25; font-weight: 600; letter-spacing: -0.01em; white-space: nowrap; }
section { margin-top: 4rem; }
.finding { margin-top: 0.5rem; max-width: 46rem; }
.note { margin-top: 1rem; max-width: 46rem; font-size: 0.875rem; color: var(--muted); }
code { font: 0.95em ui-monospace, SFMono-Regular, Consolas, "Liberation Mono", monospace; white-space: nowrap; }
.beside { display: grid; grid-template-columns: minmax(0, 640px) minmax(0, 1fr); gap: 3rem; align-items: start; margin-top: 1.5rem; }
figure { margin: 0; }
svg { display: block; max-width: 100%; height: auto; overflow: visible; }
.narrow { display: none; }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-bottom: 0.75rem; font-size: 0.875rem; color: var(--muted); }
.swatch { display: inline-block; width: 0.75rem; height: 0.75rem; margin-right: 0.45rem; background: var(--first); }
.swatch.pale { background: var(--pale); }
.swatch.hollow { background: none; border: 1.5px dashed var(--first); }
.swatch.dot { width: 0.7rem; height: 0.7rem; border-radius: 50%; }
.swatch.line { height: 2px; vertical-align: 0.25rem; width: 1.25rem; background: var(--muted); }
svg text { font-size: 13px; fill: var(--ink); }
svg .heading { font-weight: 600; }
svg .tick { fill: var(--muted); font-size: 12px; }
.bar.first { fill: var(--first); }
.bar.second { fill: var(--second); }
.bar.pale { fill: var(--pale); }
.bar.hollow { fill: var(--paper); stroke-width: 1.5; stroke-dasharray: 4 2; }
.bar.first.hollow { stroke: var(--first); }
.bar.second.hollow { stroke: var(--second); }
.base { stroke: var(--muted); stroke-width: 1; }
.grid { stroke: var(--rule); stroke-width: 1; }
.whisker { stroke: var(--muted); stroke-width: 2; }
.dot { fill: var(--first); stroke: var(--paper); stroke-width: 2; }
.land { fill: var(--land); stroke: none; }
.borders { fill: none; stroke: var(--paper); stroke-width: 1; }
.disc { fill-opacity: 0.75; stroke: var(--paper); stroke-width: 0.75; }
.disc.first { fill: var(--first); }
.disc.second { fill: var(--second); }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; line-height: 1.35; }
caption { padding-bottom: 0.5rem; text-align: left; color: var(--muted); }
th, td { padding: 0.32rem 0 0.32rem 0.75rem; text-align: right; font-weight: 400; vertical-align: baseline; border-bottom: 1px solid var(--rule); }
td { white-space: nowrap; }
th:first-child { padding-left: 0; text-align: left; }
thead th { font-weight: 600; }
.long { max-height: 25rem; overflow-y: auto; border-bottom: 1px solid var(--rule); }
.long thead th { position: sticky; top: 0; background: var(--paper); }
details { margin-top: 0.75rem; font-size: 0.875rem; }
summary { width: max-content; color: var(--muted); cursor: pointer; }
pre { margin: 0.5rem 0 0; padding: 0.75rem 1rem; max-width: 62rem; background: var(--land); white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { white-space: inherit; }
footer { margin-top: 4.5rem; padding-top: 1.25rem; border-top: 1px solid var(--rule); font-size: 0.875rem; color: var(--muted); }
footer dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.2rem 1.5rem; margin: 0; }
footer dd { margin: 0; overflow-wrap: anywhere; color: var(--ink); }
footer p { margin-top: 1rem; max-width: 46rem; }
footer ul { margin: 0; padding: 0; list-style: none; }
@media (max-width: 1060px) {
  .beside { grid-template-columns: minmax(0, 1fr); gap: 1.75rem; }
  .table { max-width: 640px; }
}
@media screen and (max-width: 700px) {
  body { padding: 1.75rem 1rem 3rem; }
  h1 { font-size: 1.75rem; }
  h2 { font-size: 1.25rem; }
  section { margin-top: 3rem; }
  .totals dd { font-size: 1.375rem; }
  .wide { display: none; }
  .narrow { display: block; }
  .narrow svg { width: 100%; max-width: 26rem; }
  th, td { padding-left: 0.4rem; }
  footer dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  footer dd { margin-bottom: 0.5rem; }
}
@media print {
  :root { color-scheme: light; ${variables(lightPalette)} }
  body { max-width: none; padding: 0; font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  section { margin-top: 2.5rem; }
  .totals div { flex-basis: 6.5rem; }
  .beside { display: block; }
  .table { max-width: none; margin-top: 1rem; }
  .wide svg { width: 100%; max-width: 160mm; }
  .long { max-height: none; overflow: visible; }
  details { display: none; }
  h2, .finding, caption { break-after: avoid; }
  .finding, .note, .totals, figure, tr, footer { break-inside: avoid; }
  thead { display: table-header-group; }
}
`;
