import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's directory. */
export const root = join(import.meta.dirname, '..', '..', '..');

/** A file of the project, by its path from the root. */
export const readFile = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The anchors of a Markdown page's headings: lower case, blanks as '-', no punctuation. */
export const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
