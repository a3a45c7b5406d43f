/** Pseudorandom numbers: the same seed gives the same numbers. */
export interface Chance {
  /** From 0 to below 1. */
  readonly next: () => number;
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
  /** @throws Error for an empty list */
  readonly oneOf: <T>(values: readonly T[]) => T;
  readonly isTrue: (probability: number) => boolean;
}

/** Mulberry32: small, and good enough to choose a test's faults. */
export const chanceOf = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    oneOf(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('There is nothing to choose from');
      return value;
    },
    isTrue: (probability) => next() < probability,
  };
};

/** The seed that a variable of the environment names, or a new one. */
export const seedFrom = (variable: string): number => {
  const named = process.env[variable];
  return named === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(named);
};

/** Adds to a failure how to reproduce it. */
export const withSeed = async (variable: string, seed: number, act: () => Promise<void>): Promise<void> => {
  try {
    await act();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message} (again with ${variable}=${seed})`, { cause: error });
  }
};
