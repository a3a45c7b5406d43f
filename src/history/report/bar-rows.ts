import { scaleLinear } from 'd3-scale';
import type { Bin } from './bins.ts';
import { sum } from './durations.ts';
import { html, type Markup } from './markup.ts';
import type { Section } from './section.ts';
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
import { countText, shareText } from './words.ts';

/** A column of bars with a scale of its own. */
export interface BarColumn {
  readonly heading: string | null;
  readonly tone: Tone;
  /** One for each label. */
  readonly bars: readonly {
    readonly value: number;
    /** A part of the value, drawn darker. */
    readonly part?: number;
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

const TONES = ['first', 'second'] as const;

/**
 * Two things that are counted by the same bins: as bars, each with its share of them all, and as a table.
 *
 * @param counted by their names: one count for each bin
 * @param others what the first thing has in no bin, by its name
 */
export const countsByBin = (
  bins: readonly Bin[],
  counted: Readonly<Record<string, readonly number[]>>,
  { caption, unit }: { readonly caption: string; readonly unit: string },
  others: Readonly<Record<string, number>>,
): Pick<Section, 'picture' | 'legend' | 'table'> => {
  const [headings, counts] = [Object.keys(counted), Object.values(counted)];
  const names = bins.map(({ name }) => name);
  const columns = counts.map((ofOne, at) => ({
    heading: headings[at] ?? null,
    tone: TONES[at] ?? 'first',
    bars: ofOne.map((value) => ({ value, text: shareText(value, sum(ofOne)) })),
  }));
  return {
    picture: sum(counts[0] ?? []) === 0 ? null : (width) => barRows(names, columns, width),
    legend: [],
    table: {
      caption,
      columns: [unit, ...headings],
      rows: [
        ...names.map((name, at) => [name, ...counts.map((ofOne) => countText(ofOne[at] ?? 0))]),
        ...Object.entries(others).map(([name, count]) => [name, countText(count), '–']),
      ],
    },
  };
};
