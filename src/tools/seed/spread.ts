import type { Random } from './random.ts';

const BIG_SHARE = 0.05;
const MAX_OF_BIG = 5_000;
/** Enough that a small world's first posting has a candidate in every state. */
const MIN_OF_BIG = 16;

/**
 * Spreads candidates unevenly over postings. The first posting is the big one.
 *
 * @param room the most that a posting can take: each professional applies to it once
 * @returns where the candidates of each posting start, and at the end the number of all
 */
export const spread = (candidates: number, postings: number, room: number, random: Random): Uint32Array => {
  const big = Math.max(Math.round(candidates * BIG_SHARE), MIN_OF_BIG);
  const sizes = new Uint32Array(postings);
  sizes[0] = Math.min(big, MAX_OF_BIG, candidates, room);
  let left = candidates - sizes[0];

  // Between an exponential spread and a steeper one: many small postings, few popular ones.
  const weights = Array.from({ length: postings - 1 }, () => 0.1 + (-Math.log(1 - random())) ** 1.4);
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    // The second posting always has a candidate: it closes, and that is a state too.
    const fair = Math.max(index === 0 ? 1 : 0, Math.round((left * weight) / weightLeft));
    const size = Math.min(fair, left, room);
    sizes[index + 1] = size;
    left -= size;
    weightLeft -= weight;
  }
  for (let index = 0; index < postings && left > 0; index++) {
    const more = Math.min(left, room - (sizes[index] ?? 0));
    sizes[index] = (sizes[index] ?? 0) + more;
    left -= more;
  }

  const starts = new Uint32Array(postings + 1);
  for (const [index, size] of sizes.entries()) starts[index + 1] = (starts[index] ?? 0) + size;
  return starts;
};

/** The posting that a candidate belongs to, by bisection. */
export const postingAt = (starts: Uint32Array, number: number): number => {
  let [low, high] = [0, starts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= number) low = middle;
    else high = middle - 1;
  }
  return low;
};
