/** Maps UTF-16 code units to code point order, where surrogates come last. */
const inOrder = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

/** Orders texts by code point, as SQLite and MongoDB order them. */
export const compareByCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = inOrder(a.charCodeAt(index)) - inOrder(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
};
