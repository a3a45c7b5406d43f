/** A Markdown table; nothing where there are no rows. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line), ''];
};

export const code = (text: string): string => `\`${text}\``;

/** What to tell readers who would change a file that is generated. */
export const GENERATED = '<!-- Written by `npm run docs` from the definitions in the code. Do not edit. -->';
