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

/** A list that is never empty, so that a pick always gives an item. */
export type Several<T> = readonly [T, ...T[]];

/** The items of a text, in its order; between them stands a comma unless another separator is given. */
export const list = (text: string, separator = /,\s+/): Several<string> => {
  const [first = '', ...rest] = text.split(separator);
  return [first, ...rest];
};

export const mapSeveral = <T, U>([first, ...rest]: Several<T>, map: (item: T) => U): Several<U> => [
  map(first),
  ...rest.map(map),
];

/** A whole number from `least` to `most`, both included. */
export const whole = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

export const chance = (random: Random, probability: number): boolean => random() < probability;

export const pick = <T>(random: Random, items: Several<T>): T =>
  items[Math.floor(random() * items.length)] ?? items[0];

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

/** An item by its share of all shares. */
export const pickByShare = <T extends { readonly share: number }>(random: Random, items: Several<T>): T => {
  let left = random() * items.reduce((sum, { share }) => sum + share, 0);
  for (const item of items) {
    left -= item.share;
    if (left < 0) return item;
  }
  return items[0];
};
