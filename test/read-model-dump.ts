import Database from 'libsql';

/** Every document of every projection in a read-models file, by table and id, without positions. */
export const dumpReadModels = (file: string): Record<string, Record<string, unknown>> => {
  const database = new Database(file);
  try {
    const names = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'projections' ORDER BY name")
      .raw();
    return Object.fromEntries(
      (names.all([]) as [string][]).map(([name]) => {
        const rows = database.prepare(`SELECT id, document FROM "${name}" ORDER BY id`).raw().all([]) as [
          string,
          string,
        ][];
        return [
          name,
          Object.fromEntries(rows.map(([id, document]) => [id, JSON.parse(document) as unknown])),
        ];
      }),
    );
  } finally {
    database.close();
  }
};
