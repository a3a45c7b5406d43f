import { scaleLinear } from 'd3-scale';
import { sum } from './durations.ts';
import { html, type Markup } from './markup.ts';
import {
  image,
  lineBetween,
  MIDDLE,
  rectangle,
  roomForLabel,
  roomForNumber,
  textAt,
  type Described,
  type Frame,
} from './svg.ts';
import { shareText } from './words.ts';

/** One bar in a row, with the text at its end. */
export interface Bar {
  readonly value: number;
  /** A part of the value, drawn darker. */
  readonly part?: number;
  readonly text: string;
}

/** A column of bars with a scale of its own. */
export interface BarColumn {
  readonly heading: string | null;
  /** Of the style sheet: which colour. */
  readonly tone: 'first' | 'second';
  /** One for each label. */
  readonly bars: readonly Bar[];
}

/** Counts as bars, each with its share of them all. */
export const shareColumn = (
  heading: string,
  tone: BarColumn['tone'],
  counts: readonly number[],
): BarColumn => {
  const all = sum(counts);
  return { heading, tone, bars: counts.map((value) => ({ value, text: shareText(value, all) })) };
};

const ROW = 30;
const BAR = 18;
const HEADING = 26;
const GAP = 16;

const columnOf = (
  { heading, tone, bars }: BarColumn,
  { left, width, top }: { readonly left: number; readonly width: number; readonly top: number },
): Markup => {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const x = scaleLinear([0, most], [0, width - roomForNumber(bars.map(({ text }) => text))]);
  const drawn = bars.map(({ value, part, text }, row) => {
    const y = top + row * ROW + (ROW - BAR) / 2;
    const place = { x: left, y, height: BAR };
    return [
      rectangle(`bar ${tone}${part === undefined ? '' : ' pale'}`, { ...place, width: x(value) }),
      part === undefined ? null : rectangle(`bar ${tone}`, { ...place, width: x(part) }),
      textAt('value', { x: left + x(value) + 6, y: y + BAR / 2 + MIDDLE }, text),
    ];
  });
  return html`${heading === null ? null : textAt('heading', { x: left, y: top - 10 }, heading)}
  ${lineBetween('base', [left, top], [left, top + bars.length * ROW])} ${drawn}`;
};

/** Horizontal bars in rows with labels, in one or more columns. */
export const barRows = (
  frame: Frame,
  described: Described,
  labels: readonly string[],
  columns: readonly BarColumn[],
): Markup => {
  const gutter = roomForLabel(labels);
  const width = (frame.width - gutter - GAP * (columns.length - 1)) / columns.length;
  const top = columns.some(({ heading }) => heading !== null) ? HEADING : 2;
  const rows = labels.map((label, row) =>
    textAt('label', { x: gutter - 10, y: top + row * ROW + ROW / 2 + MIDDLE, anchor: 'end' }, label),
  );
  const drawn = columns.map((column, index) =>
    columnOf(column, { left: gutter + index * (width + GAP), width, top }),
  );
  return image(frame, top + labels.length * ROW + 2, described, html`${rows}${drawn}`);
};
