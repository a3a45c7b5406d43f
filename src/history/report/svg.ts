import { html, type Markup } from './markup.ts';

/** What is drawn within a width. */
export interface Drawing {
  readonly height: number;
  readonly content: Markup;
}

/** Drawn once for wide pages and once for narrow ones, as pictures have text of one size. */
export type DrawPicture = (width: number) => Drawing;

/** Of the style sheet: which colour. */
export type SeriesColor = 'first' | 'second';

/** Coordinates with one decimal place are finer than a screen shows. */
const roundCoordinate = (coordinate: number): number => Math.round(coordinate * 10) / 10;

export const isNarrow = (width: number): boolean => width < 480;

interface TextPlace {
  readonly x: number;
  /** Of its baseline. */
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
}

export const textAt = (className: string, { x, y, anchor = 'start' }: TextPlace, text: string): Markup =>
  html`<text class="${className}" x="${roundCoordinate(x)}" y="${roundCoordinate(y)}" text-anchor="${anchor}"
    >${text}</text
  > `;

/** How far below a line the baseline of text is that stands at its height. */
export const BASELINE_SHIFT = 4.5;

type Rectangle = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

export const rectangle = (className: string, { x, y, width, height }: Rectangle): Markup =>
  html`<rect
    class="${className}"
    x="${roundCoordinate(x)}"
    y="${roundCoordinate(y)}"
    width="${roundCoordinate(width)}"
    height="${roundCoordinate(height)}"
  /> `;

export const circle = (className: string, x: number, y: number, radius: number): Markup =>
  html`<circle
    class="${className}"
    cx="${roundCoordinate(x)}"
    cy="${roundCoordinate(y)}"
    r="${roundCoordinate(radius)}"
  /> `;

type Point = readonly [x: number, y: number];

export const lineBetween = (className: string, [x1, y1]: Point, [x2, y2]: Point): Markup =>
  html`<line
    class="${className}"
    x1="${roundCoordinate(x1)}"
    y1="${roundCoordinate(y1)}"
    x2="${roundCoordinate(x2)}"
    y2="${roundCoordinate(y2)}"
  /> `;

/** About the width of a letter of a label: there is nothing here that could measure it. */
const LETTER = 7.6;
/** The same of digits, and of what else a number is written with. */
const DIGIT = 8.3;

const longest = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));

/** Room for a label, with a gap. */
export const roomForLabel = (labels: readonly string[]): number => longest(labels) * LETTER + 10;

/** Room for a number beside what it belongs to. */
export const roomForNumber = (texts: readonly string[]): number => longest(texts) * DIGIT + 12;
