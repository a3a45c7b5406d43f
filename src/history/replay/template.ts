import { closeSync, existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalid } from '../../errors/domain-error.ts';
import { openNewFile, writeAllBytes } from '../../lib/files.ts';

const ROOT = fileURLToPath(new URL('.', import.meta.resolve('#package.json')));

/** Where a file finds the types, as an import names them. */
const typesFor = (file: string): string => {
  const types = resolve(ROOT, 'src/history/replay/projection.ts');
  const path = relative(dirname(resolve(file)), types)
    .split(sep)
    .join('/');
  return path.startsWith('.') ? path : `./${path}`;
};

const templateFor = (file: string): string => `\
import type { ReplayProjection } from '${typesFor(file)}';

/** Applications and hires of each month. Replace it with a question of your own; docs/events.md has every event. */

interface Counts {
  applications: number;
  hires: number;
}

/** What the handlers remember. It is in memory: keep what the rows need, and no more. */
interface State {
  readonly months: Map<string, Counts>;
}

const countsOf = ({ months }: State, recordedAt: string): Counts => {
  const month = recordedAt.slice(0, 7);
  const counts = months.get(month) ?? { applications: 0, hires: 0 };
  months.set(month, counts);
  return counts;
};

export default {
  init: () => ({ months: new Map() }),
  handlers: {
    CandidateApplied({ metadata }, state) {
      countsOf(state, metadata.recordedAt).applications++;
    },
    CandidateHired({ metadata }, state) {
      countsOf(state, metadata.recordedAt).hires++;
    },
  },
  *rows({ months }) {
    for (const [month, counts] of months) yield { month, ...counts };
  },
} satisfies ReplayProjection<State>;
`;

const createTemplate = (file: string): number => {
  try {
    return openNewFile(file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw invalid(`${file} is there already; allowed for --new: a new file`);
  }
};

/**
 * Writes a projection to begin with, which runs as it is.
 *
 * @throws DomainError for a file that is there, or is none of TypeScript, and where its directory is not there
 */
export const writeTemplate = (file: string): void => {
  if (!/\.m?ts$/.test(file)) throw invalid(`--new writes TypeScript, and ${file} does not end in .ts`);
  if (!existsSync(dirname(resolve(file)))) throw invalid(`The directory of ${file} is not there`);
  const descriptor = createTemplate(file);
  try {
    writeAllBytes(descriptor, Buffer.from(templateFor(file)));
  } finally {
    closeSync(descriptor);
  }
};
