import { Type, type Static } from '../src/schema/typebox.ts';
import { object } from '../src/schema/schema.ts';
import type { Context } from './context.ts';

/** One measurement: numbers by the name of their measure. */
export const Sample = Type.Record(Type.String(), Type.Number());
export type Sample = Static<typeof Sample>;

export const Bound = Type.Union([object({ atLeast: Type.Number() }), object({ atMost: Type.Number() })]);
export type Bound = Static<typeof Bound>;

/** What a measure of one contender has to reach, by itself or as a ratio to another contender's in the same round. */
export const Target = object({
  says: Type.String(),
  measure: Type.String(),
  of: Type.String(),
  against: Type.Optional(Type.String()),
  must: Bound,
  aim: Type.Optional(Bound),
});
export type Target = Static<typeof Target>;

/** Values over time, each `[second, value]`. */
export const Line = object({ name: Type.String(), unit: Type.String(), points: Type.Array(Type.Array(Type.Number())) });
export type Line = Static<typeof Line>;

/** One of those that do the same work, and are measured in turns. */
export interface Contender {
  readonly name: string;
  /** @throws Error when anything about the measurement was not as it should be */
  measure(): Promise<Sample>;
}

export interface Figure {
  readonly name: string;
  readonly contenders: readonly Contender[];
  readonly targets: readonly Target[];
  /** Whether each contender is measured once without counting it, so that no round pays for compilation. */
  readonly warmsUp: boolean;
  /** Fewer rounds than asked for, where one takes very long. */
  readonly rounds?: number;
  /** What the measurements found over time; asked for after the last round. */
  readonly lines?: () => readonly Line[];
}

export interface Measure {
  readonly name: string;
  readonly title: string;
  /** Digits after the point. */
  readonly digits: number;
}

/** Figures with the same measures, shown as one table. */
export interface FigureGroup {
  /** As in `--only`. */
  readonly name: string;
  readonly title: string;
  /** Paragraphs: what is measured, how, and against what. */
  readonly about: readonly string[];
  readonly measures: readonly Measure[];
  /** Whether it is measured without being asked for by name. */
  readonly isDefault: boolean;
  /** Made one after the other, so that only what a figure needs is running. */
  figures(context: Context): AsyncIterable<Figure> | Iterable<Figure>;
}

/** The contenders' names, as they stand in tables and targets. */
export const SERVICE = 'service';
export const BARE_KOA = 'bare Koa';
export const USUAL = 'usual stack';
export const EMMETT = 'Emmett';
