import Database from 'libsql';
import { projections } from '../../projections/index.ts';
import { createReadModelFileCatalog } from '../../src/read-models/embedded/read-model-files.ts';
import type { ReadModels } from '../../src/read-models/port.ts';

/** Documents by collection and id. */
export type Dump = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Every document of every projection, without positions. */
export const dumpDocuments = async (readModels: Pick<ReadModels, 'find'>): Promise<Dump> => {
  const dumped = projections.flatMap(({ collections }) =>
    collections.map(async (collection) => {
      const found = await readModels.find(collection, { filter: {} });
      return [collection.name, Object.fromEntries(found.map(({ id, doc }) => [id, doc]))] as const;
    }),
  );
  return Object.fromEntries(await Promise.all(dumped));
};

/** Every document of every projection in the files of read models, by table and id, without positions. */
export const dumpReadModels = (path: string): Dump => {
  const files = createReadModelFileCatalog(path);
  const dumped = files.projections().flatMap((projection) => {
    const database = new Database(files.whole(projection));
    try {
      const names = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'projection'")
        .raw();
      return (names.all([]) as [string][]).map(([name]) => {
        const rows = database.prepare(`SELECT id, document FROM "${name}" ORDER BY id`).raw().all([]) as [
          string,
          string,
        ][];
        return [name, Object.fromEntries(rows.map(([id, document]) => [id, JSON.parse(document) as unknown]))] as const;
      });
    } finally {
      database.close();
    }
  });
  return Object.fromEntries(dumped.sort(([a], [b]) => (a < b ? -1 : 1)));
};
