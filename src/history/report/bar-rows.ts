import { scaleLinear } from 'd3-scale';
import { html, type Markup } from './markup.ts';
import {
  lineBetween,
  MIDDLE,
  rectangle,
  roomForLabel,
  roomForNumber,
  textAt,
  type Drawing,
  type Tone,
} from './svg.ts';

/** A column of bars with a scale of its own. */
export interface BarColumn {
  readonly heading: string | null;
  readonly tone: Tone;
  /** One for each label. */
  readonly bars: readonly {
    readonly value: number;
    /** A part of the value, drawn darker. */
    readonly part?: number;
    /** The value may change still. */
    readonly isUnfinished?: boolean;
    /** At the end of the bar. */
    readonly text: string;
  }[];
}

const ROW = 30;
const BAR = 18;
const HEADING = 26;
const GAP = 16;

const columnOf = (
  { heading, tone, bars }: BarColumn,
  { left, width, top }: { readonly left: number; readonly width: number; readonly top: number },
): Markup => {
  const most = Math.max(...bars.map(({ value }) => value)) || 1;
  const x = scaleLinear([0, most], [0, width - roomForNumber(bars.map(({ text }) => text))]);
  const drawn = bars.map(({ value, part, isUnfinished = false, text }, row) => {
    const y = top + row * ROW + (ROW - BAR) / 2;
    const place = { x: left, y, height: BAR };
    return [
      value === 0
        ? null
        : rectangle(`bar ${tone}${part === undefined ? '' : ' pale'}${isUnfinished ? ' hollow' : ''}`, {
            ...place,
            width: x(value),
          }),
      part === undefined ? null : rectangle(`bar ${tone}`, { ...place, width: x(part) }),
      textAt('value', { x: left + x(value) + 6, y: y + BAR / 2 + MIDDLE }, text),
    ];
  });
  return html`${heading === null ? null : textAt('heading', { x: left, y: top - 10 }, heading)}
  ${lineBetween('base', [left, top], [left, top + bars.length * ROW])} ${drawn}`;
};

/** Horizontal bars in rows with labels, in one or more columns. */
export const barRows = (labels: readonly string[], columns: readonly BarColumn[], all: number): Drawing => {
  const gutter = roomForLabel(labels);
  const width = (all - gutter - GAP * (columns.length - 1)) / columns.length;
  const top = columns.some(({ heading }) => heading !== null) ? HEADING : 2;
  const rows = labels.map((label, row) =>
    textAt('label', { x: gutter - 10, y: top + row * ROW + ROW / 2 + MIDDLE, anchor: 'end' }, label),
  );
  const drawn = columns.map((column, index) =>
    columnOf(column, { left: gutter + index * (width + GAP), width, top }),
  );
  return { height: top + labels.length * ROW + 2, content: html`${rows}${drawn}` };
};
