/** The repeated texts, each once. */
export const duplicatesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.filter((text, index) => texts.indexOf(text) !== index)),
];
