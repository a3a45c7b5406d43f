/** The texts that a list holds more than once, each once. */
export const repeatedIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.filter((text, index) => texts.indexOf(text) !== index)),
];
