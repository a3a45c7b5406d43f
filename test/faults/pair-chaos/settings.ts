import { seedFrom } from '../../support/seeded.ts';

export const SEED = 'CHAOS_SEED';
const DEFAULT_RUNS = 3;

/** What makes an event unapplicable. */
export const poisonKinds = ['faulty', 'shape', 'newer', 'bare'] as const;
export type PoisonKind = (typeof poisonKinds)[number];

const listed = <T extends string>(
  variable: string,
  allowed: readonly T[],
  usual: readonly T[],
): readonly T[] => {
  const named = process.env[variable];
  if (named === undefined || named === '') return usual;
  return named.split(',').map((name) => {
    const found = allowed.find((each) => each === name);
    if (found === undefined) throw new Error(`${variable} names ${name}; allowed: ${allowed.join(', ')}`);
    return found;
  });
};

/** How many runs, which, and with what. A run follows from its seed and from what is allowed here. */
export const settings = {
  firstSeed: seedFrom(SEED),
  runs: Number(process.env['CHAOS_RUNS'] ?? (process.env[SEED] === undefined ? DEFAULT_RUNS : 1)),
  /** Where the story of a failed run is written, with what its instances have logged. */
  reports: process.env['CHAOS_REPORTS'],
  poison: listed('CHAOS_POISON', poisonKinds, poisonKinds),
} as const;
