/**
 * So many characters that stood earlier in this order are a repetition. Of 32 random hexadecimal digits, one text in
 * ten million holds one.
 */
const REPETITION = 8;

/** Characters that a random text may be made of, and how many there are; the last are the rest of printable ASCII. */
const ALPHABETS = [
  [/[0-9]/, 10],
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[^0-9A-Za-z]/, 33],
] as const;
const HEXADECIMAL = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

/**
 * A plain estimate of the bits that a secret holds, as if its characters had been drawn at random: their number times
 * log2 of the size of the alphabet (`openssl rand -hex 16`: 32 x log2 16 = 128). Two things lower it, neither of which
 * random text shows: characters that repeat earlier ones do not count, and the alphabet has at most twice as many
 * characters as were seen. That a text is made of words it cannot tell.
 */
export const estimateEntropyBits = (secret: string): number => {
  const characters = Array.from(secret);
  const ends = characters.map((_, at) => characters.slice(Math.max(0, at + 1 - REPETITION), at + 1).join(''));
  const sizes = ALPHABETS.flatMap(([pattern, size]) => (pattern.test(secret) ? [size] : []));
  const alphabet = Math.min(
    sizes.reduce((sum, size) => sum + size, 0),
    HEXADECIMAL.test(secret) ? 16 : Infinity,
    2 * new Set(characters).size,
  );
  return new Set(ends).size * Math.log2(alphabet);
};
