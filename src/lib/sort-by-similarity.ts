/** How many letters to insert, delete or replace to turn one text into another (Levenshtein), whatever their case. */
const distanceBetween = (one: string, other: string): number => {
  const letters = Array.from(other.toLowerCase());
  let distances = [0, ...letters.map((_, index) => index + 1)];
  for (const [row, letter] of Array.from(one.toLowerCase()).entries()) {
    const next = [row + 1];
    for (const [column, each] of letters.entries())
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (distances[column + 1] ?? 0) + 1,
          (distances[column] ?? 0) + (each === letter ? 0 : 1),
        ),
      );
    distances = next;
  }
  return distances.at(-1) ?? 0;
};

/** Words, those first that are most like a text. */
export const sortBySimilarity = <T extends string>(text: string, words: readonly T[]): readonly T[] =>
  words.toSorted((one, other) => distanceBetween(text, one) - distanceBetween(text, other));
