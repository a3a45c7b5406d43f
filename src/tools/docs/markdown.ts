/** A Markdown table; nothing where there are no rows. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line), ''];
};

export const code = (text: string): string => `\`${text}\``;

/** Tells readers not to change a generated file. */
export const GENERATED = '<!-- Written by `npm run docs` from the definitions in the code. Do not edit. -->';
