import { seedFrom } from '../../support/seeded.ts';

export const SEED = 'CHAOS_SEED';
const DEFAULT_RUNS = 3;

/** The kinds of poison events. */
export const poisonKinds = ['faulty', 'shape', 'newer', 'bare'] as const;
export type PoisonKind = (typeof poisonKinds)[number];

const listed = <T extends string>(variable: string, allowed: readonly T[], usual: readonly T[]): readonly T[] => {
  const named = process.env[variable];
  if (named === undefined || named === '') return usual;
  return named.split(',').map((name) => {
    const found = allowed.find((each) => each === name);
    if (found === undefined) throw new Error(`${variable} names ${name}; allowed: ${allowed.join(', ')}`);
    return found;
  });
};

/** How many runs, which seeds, and what they may contain. A run follows from its seed and these settings. */
export const settings = {
  firstSeed: seedFrom(SEED),
  runs: Number(process.env['CHAOS_RUNS'] ?? (process.env[SEED] === undefined ? DEFAULT_RUNS : 1)),
  /** Where the story of a failed run is written, with the application logs of its instances. */
  reports: process.env['CHAOS_REPORTS'],
  poison: listed('CHAOS_POISON', poisonKinds, poisonKinds),
} as const;
