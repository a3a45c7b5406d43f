import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { withDatabase, literal, quotedIdentifier, rowsOfQuery } from '../../../src/history/warehouse/duckdb.ts';

/** What is in files of Parquet, as text, by the file. */
const textsOfParquet = (files: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  withDatabase(':memory:', { spillTo: tmpdir(), isReadOnly: false, threads: 1, writes: files })(async (database) => {
    const texts = new Map<string, string>();
    for (const file of files) {
      const sql = `SELECT to_json(t)::VARCHAR FROM read_parquet(${literal(file)}) AS t`;
      texts.set(file, JSON.stringify(await rowsOfQuery(database, sql)));
    }
    return texts;
  });

/** The rows of all tables of a file of SQLite, as text. */
const textOfSqlite = (file: string): string => {
  const database = new Database(file, { readonly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    return (tables.all() as { name: string }[])
      .map(({ name }) => `${name} ${JSON.stringify(database.prepare(`SELECT * FROM ${quotedIdentifier(name)}`).all())}`)
      .join('\n');
  } finally {
    database.close();
  }
};

/** What files hold, as text; those of Parquet are read together, as DuckDB takes long to open. */
export const textsOf = async (
  files: readonly string[],
  textOf: (file: string) => string | Promise<string>,
): Promise<readonly string[]> => {
  const parquet = files.filter((file) => file.endsWith('.parquet'));
  const texts = parquet.length > 0 ? await textsOfParquet(parquet) : undefined;
  return Promise.all(files.map(async (file) => texts?.get(file) ?? textOf(file)));
};

/** What an export holds, as text: all files but the manifest, which holds digests of them. */
export const textOfExport = async (directory: string): Promise<string> => {
  const names = (await readdir(directory)).filter((name) => !/^(?:manifest|owner)\./.test(name)).sort();
  const texts = await textsOf(
    names.map((name) => join(directory, name)),
    (file) => (file.endsWith('.sqlite') ? textOfSqlite(file) : readFile(file, 'utf8')),
  );
  return names.map((name, index) => `${name}\n${texts[index]}`).join('\n');
};
