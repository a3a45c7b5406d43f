/** Text of HTML or SVG, safe to stand in a page. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | null | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

const textOf = (part: Part): string => {
  if (part === null) return '';
  if (isList(part)) return part.map(textOf).join('');
  if (typeof part === 'object') return part.markup;
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
};

/** The indentation of code says nothing in a page. */
const withoutIndentation = (text: string): string => text.replace(/\n\s+/g, '\n');

/** A template of HTML or SVG: what is put in is escaped, unless it is markup itself; null is nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: texts
    .map(withoutIndentation)
    .map((text, at) => (at === 0 ? text : textOf(parts[at - 1] ?? null) + text))
    .join(''),
});
