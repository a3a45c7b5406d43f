import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../support/project.ts';
import type { Sources } from './imports.ts';

/** Every source of the service, and of further folders, by its path in the project. */
export const readSources = async (...more: readonly string[]): Promise<Sources> => {
  const folders = ['src', 'commands', 'projections', 'queries', ...more];
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(root, folder), { recursive: true });
      return names.filter((name) => /\.c?ts$/.test(name)).map((name) => `${folder}/${name}`);
    }),
  );
  const read = found.flat().map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const);
  return new Map(await Promise.all(read));
};
