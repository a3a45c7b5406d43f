/** The metrics and labels of a PromQL expression: as much of the language as the files of this project use. */
export interface Asked {
  readonly metrics: readonly string[];
  /** Of selectors and of `by (…)`. */
  readonly labels: readonly string[];
}

const WORDS: readonly string[] = ['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'bool', 'offset'];
const NAME = /[A-Za-z_:][\w:]*/g;
const GROUPING = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g;
const SELECTOR = /\{([^}]*)\}/g;

/** The groups that a pattern finds in a text, and the rest of the text. */
const takenOut = (text: string, pattern: RegExp): readonly [found: string[], rest: string] => [
  [...text.matchAll(pattern)].map(([, found = '']) => found),
  text.replaceAll(pattern, ' '),
];

/** @throws Error for brackets that do not match */
const refuseUnbalanced = (expression: string): void => {
  for (const [open, close] of ['()', '[]', '{}'])
    if (expression.split(open ?? '').length !== expression.split(close ?? '').length)
      throw new Error(`The brackets do not match in ${expression}`);
};

export const askedBy = (expression: string): Asked => {
  // Grafana's variables stand for values and durations.
  const bare = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  refuseUnbalanced(bare);
  const [selectors, unselected] = takenOut(bare, SELECTOR);
  const [groupings, ungrouped] = takenOut(unselected, GROUPING);
  const [, rest] = takenOut(ungrouped, /\[([^\]]*)\]/g);
  const labels = [...selectors, ...groupings].flatMap((part) => part.match(NAME) ?? []);
  // A name before a bracket is a function.
  const names = [...rest.matchAll(/(?<![\w.$])([A-Za-z_:][\w:]*)(?!\s*\(|[\w:])/g)].map(([, name = '']) => name);
  return { metrics: names.filter((name) => !WORDS.includes(name)), labels };
};
