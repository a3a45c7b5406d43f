import type { Bound, Target } from './figure.ts';
import type { FigureResult } from './results.ts';
import { spreadOf, type Spread } from './statistics.ts';

export interface Outcome {
  readonly bound: Bound;
  readonly isMet: boolean;
  /** How far the value is on the wrong side, as a share of the bound; 0 when the bound is met. */
  readonly missedBy: number;
}

export interface Verdict {
  readonly figure: string;
  readonly target: Target;
  /** Undefined when one of the contenders was not there. */
  readonly value: Spread | undefined;
  readonly must: Outcome | undefined;
  readonly aim: Outcome | undefined;
}

/** Holds a value against a bound. */
export const outcomeOf = (value: number, bound: Bound): Outcome => {
  const [limit, beyond] =
    'atLeast' in bound ? [bound.atLeast, bound.atLeast - value] : [bound.atMost, value - bound.atMost];
  // Not "beyond > 0": a value that is no number has met nothing.
  const isMet = beyond <= 0;
  return { bound, isMet, missedBy: isMet ? 0 : beyond / limit };
};

/**
 * The values that a target is about, one for each round: a contender's own, or their ratio to those of another
 * contender in the same round.
 */
const valuesOf = (figure: FigureResult, { measure, of, against }: Target): number[] | undefined => {
  const samplesOf = (name: string) => {
    const found = figure.contenders.find((contender) => contender.name === name);
    return found?.samples.map((sample) => {
      const value = sample[measure];
      if (value === undefined) throw new Error(`${figure.name}: ${name} has no measure ${measure}`);
      return value;
    });
  };
  const own = samplesOf(of);
  if (against === undefined || own === undefined) return own;
  const others = samplesOf(against);
  return others && own.map((value, round) => value / (others[round] ?? NaN));
};

/** What became of each target of a figure. */
export const verdictsOf = (figure: FigureResult): Verdict[] =>
  figure.targets.map((target) => {
    const values = valuesOf(figure, target);
    const value = values && values.length > 0 ? spreadOf(values) : undefined;
    return {
      figure: figure.name,
      target,
      value,
      must: value && outcomeOf(value.median, target.must),
      aim: value && target.aim && outcomeOf(value.median, target.aim),
    };
  });
