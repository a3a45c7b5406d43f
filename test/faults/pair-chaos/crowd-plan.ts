import type { Chance } from '../../support/seeded.ts';

/** One posting with many candidates, all written straight into the event log. */
export interface CrowdPlan {
  /** How many apply before the faults begin. */
  readonly size: number;
  /** When the posting is revised, and how many of its candidates are moved at the same time. */
  readonly stirs: readonly { readonly atMs: number; readonly moved: number }[];
  /** Whether the posting closes after the last revision. */
  readonly isClosed: boolean;
}

/** Sizes, each with its share of the runs. */
const SIZES: readonly (readonly [number, number])[] = [
  [7_000, 0.02],
  [1_500, 0.06],
  [300, 0.25],
];
const LARGE = 7_000;
const STIRRED_WITHIN_MS = 6_000;
const MAX_MOVED = 20;

/** Whether so many candidates make a run much longer than others. */
export const isLarge = ({ size }: CrowdPlan): boolean => size >= LARGE;

export const drawCrowd = (chance: Chance): CrowdPlan => {
  let left = chance.next();
  const [size] = SIZES.find(([, share]) => (left -= share) < 0) ?? [0];
  const stirs = Array.from({ length: size === 0 ? 0 : 1 + chance.below(3) }, () => ({
    atMs: chance.below(STIRRED_WITHIN_MS),
    moved: chance.below(MAX_MOVED),
  }));
  return {
    size,
    stirs: stirs.sort((a, b) => a.atMs - b.atMs),
    isClosed: size > 0 && (size >= LARGE || chance.isTrue(0.5)),
  };
};
