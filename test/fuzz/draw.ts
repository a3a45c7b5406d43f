import { randomInteger, type Random } from '../../src/tools/seed/random.ts';

/** One of the items. @throws Error for an empty list */
export const anyOf = <T>(random: Random, items: readonly T[]): T => {
  const item = items[randomInteger(random, 0, items.length - 1)];
  if (item === undefined) throw new Error('There is nothing to draw from');
  return item;
};

/** A list in any order (Fisher and Yates). */
export const shuffled = <T>(random: Random, items: readonly T[]): T[] => {
  const left = [...items];
  return items.flatMap(() => left.splice(randomInteger(random, 0, left.length - 1), 1));
};
