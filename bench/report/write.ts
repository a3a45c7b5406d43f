import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { FigureGroup } from '../figure.ts';
import { mergeResults, parseResults, type Results } from '../results.ts';
import { makePage } from './page.ts';

/** More digits would be noise. */
const SIGNIFICANT = 6;

export const resultsJson = (results: Results): string =>
  JSON.stringify(results, (_name, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(SIGNIFICANT)) : value,
  );

/** Writes a file as Prettier lays it out. */
const writeFormatted = async (file: string, content: string): Promise<void> => {
  writeFileSync(file, await format(content, { ...(await resolveConfig(file)), filepath: file }));
};

/**
 * Writes `benchmarks.md`, its charts and `benchmarks/results.json`. Groups that were not measured this time keep what
 * the last time found.
 *
 * @param docs the folder of the documentation
 */
export const writeDocs = async (docs: string, groups: readonly FigureGroup[], newer: Results): Promise<void> => {
  const folder = join(docs, 'benchmarks');
  const resultsFile = join(folder, 'results.json');
  const older = existsSync(resultsFile) ? parseResults(readFileSync(resultsFile, 'utf8')) : { groups: [] };
  const results = mergeResults(
    older,
    newer,
    groups.map(({ name }) => name),
  );
  const { markdown, charts } = makePage(groups, results);

  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.endsWith('.svg')) rmSync(join(folder, name));
  for (const [name, svg] of charts) writeFileSync(join(folder, name), svg);
  await writeFormatted(resultsFile, resultsJson(results));
  await writeFormatted(join(docs, 'benchmarks.md'), markdown);
};
