/** Numbers from 0 to below 1. */
export type Random = () => number;

const ROUNDS_BEFORE_USE = 12;

/** sfc32 by Chris Doty-Humphrey (PractRand): small, fast, the same numbers for the same seeds. Not for secrets. */
export const sfc32 = (a: number, b: number, c: number, d: number): Random => {
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  // Neighbouring seeds give unrelated numbers only after the state was mixed.
  for (let round = 0; round < ROUNDS_BEFORE_USE; round++) next();
  return next;
};

/** A whole number from `least` to `most`, both included. */
export const randomInteger = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

export const chance = (random: Random, probability: number): boolean => random() < probability;

/** Half of the numbers are below 0.7, and few above 3: exponentially distributed, with a mean of 1. */
export const randomExponential = (random: Random): number => -Math.log(1 - random());

/** @throws RangeError where there is none */
export const itemAt = <T>(items: readonly T[], index: number): T => {
  const item = items[index];
  if (item === undefined) throw new RangeError(`A list of ${items.length} has no item ${index}`);
  return item;
};

export const pick = <T>(random: Random, items: readonly T[]): T => itemAt(items, Math.floor(random() * items.length));

/** Some different items, in the list's order; all of them when there are no more than `count`. */
export const pickSome = <T>(random: Random, items: readonly T[], count: number): T[] => {
  let wanted = count;
  // Selection sampling (Knuth, The Art of Computer Programming 2, 3.4.2, Algorithm S).
  return items.filter((_item, index) => {
    const isPicked = random() * (items.length - index) < wanted;
    if (isPicked) wanted--;
    return isPicked;
  });
};

export const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);

/** An item by its share of all shares. */
export const pickByShare = <T extends { readonly share: number }>(
  random: Random,
  items: readonly T[],
  shareOf = ({ share }: T) => share,
): T => {
  let left = random() * sum(items.map(shareOf));
  return items.find((item) => (left -= shareOf(item)) < 0) ?? itemAt(items, 0);
};

/**
 * Gives each weight a stretch of the numbers from 0 to below `total`, in their order.
 *
 * @param least how many numbers each gets at least
 * @returns where each stretch begins, and at the end `total`
 */
export const weightedOffsets = (total: number, weights: readonly number[], least = 0): Uint32Array => {
  const all = sum(weights);
  let before = 0;
  const ends = weights.map((weight, index) => {
    before += weight;
    return least * (index + 1) + Math.round(((total - least * weights.length) * before) / all);
  });
  return Uint32Array.from([0, ...ends]);
};

/** Where a stretch begins, and how many numbers it has. */
export type IndexRange = Readonly<Record<'from' | 'size', number>>;
export const rangeAt = (starts: Uint32Array, index: number): IndexRange => {
  const from = starts[index] ?? 0;
  return { from, size: (starts[index + 1] ?? from) - from };
};

/** The stretch that a number is in, by bisection. */
export const rangeIndexOf = (starts: Uint32Array, number: number): number => {
  let [low, high] = [0, starts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= number) low = middle;
    else high = middle - 1;
  }
  return low;
};
