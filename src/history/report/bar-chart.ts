import { scaleLinear } from 'd3-scale';
import { html, type Markup } from './markup.ts';
import {
  lineBetween,
  BASELINE_SHIFT,
  rectangle,
  roomForLabel,
  roomForNumber,
  textAt,
  type DrawPicture,
  type SeriesColor,
} from './svg.ts';

/** A column of bars with a scale of its own: a bar for each row. */
export interface BarColumn<Row> {
  readonly heading?: string;
  readonly tone?: SeriesColor;
  /** Null: not known, as a bar of no length. */
  readonly value: (row: Row) => number | null;
  /** A part of the value, drawn darker. */
  readonly part?: (row: Row) => number;
  /** The value may change still. */
  readonly isUnfinished?: (row: Row) => boolean;
  /** At the end of the bar. */
  readonly text: (row: Row) => string;
}

const ROW = 30;
const BAR = 18;
const HEADING = 26;
const GAP = 16;

const columnOf = <Row>(
  rows: readonly Row[],
  { heading, tone = 'first', value, part, isUnfinished, text }: BarColumn<Row>,
  { left, width, top }: { readonly left: number; readonly width: number; readonly top: number },
): Markup => {
  const most = Math.max(...rows.map((row) => value(row) ?? 0)) || 1;
  const x = scaleLinear([0, most], [0, width - roomForNumber(rows.map(text))]);
  const bars = rows.map((row, index) => {
    const y = top + index * ROW + (ROW - BAR) / 2;
    const bar = (kind: string, length: number) =>
      rectangle(`bar ${tone}${kind}`, { x: left, y, height: BAR, width: x(length) });
    const all = value(row) ?? 0;
    return [
      all === 0 ? null : bar(part ? ' pale' : isUnfinished?.(row) ? ' hollow' : '', all),
      part ? bar('', part(row)) : null,
      textAt('value', { x: left + x(all) + 6, y: y + BAR / 2 + BASELINE_SHIFT }, text(row)),
    ];
  });
  return html`${heading === undefined ? null : textAt('heading', { x: left, y: top - 10 }, heading)}
  ${lineBetween('base', [left, top], [left, top + rows.length * ROW])} ${bars}`;
};

/** Horizontal bars in rows with labels, in one or more columns; null where there are no rows. */
export const createBarChartDrawer = <Row>(
  rows: readonly Row[],
  labelOf: (row: Row) => string,
  columns: readonly BarColumn<Row>[],
): DrawPicture | null =>
  rows.length === 0
    ? null
    : (all) => {
        const gutter = roomForLabel(rows.map(labelOf));
        const width = (all - gutter - GAP * (columns.length - 1)) / columns.length;
        const top = columns.some(({ heading }) => heading !== undefined) ? HEADING : 2;
        const labels = rows.map((row, index) =>
          textAt(
            'label',
            { x: gutter - 10, y: top + index * ROW + ROW / 2 + BASELINE_SHIFT, anchor: 'end' },
            labelOf(row),
          ),
        );
        const drawn = columns.map((column, index) =>
          columnOf(rows, column, { left: gutter + index * (width + GAP), width, top }),
        );
        return { height: top + rows.length * ROW + 2, content: html`${labels}${drawn}` };
      };
