/** A Markdown table without the columns that no row fills; nothing where there are no rows. */
export const markdownTable = (allHeadings: readonly string[], allRows: readonly (readonly string[])[]): string[] => {
  if (allRows.length === 0) return [];
  const isFilled = (_: string, column: number) => allRows.some((row) => row[column] !== '');
  const headings = allHeadings.filter(isFilled);
  const rows = allRows.map((row) => row.filter(isFilled));
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line), ''];
};

export const inlineCode = (text: string): string => `\`${text}\``;

/** Tells readers not to change a generated file. */
export const GENERATED_NOTICE = '<!-- Written by `npm run docs` from the definitions in the code. Do not edit. -->';
