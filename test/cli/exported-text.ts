import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { databaseOf, literal, quoted, rowsOfQuery } from '../../src/history/tables/duckdb.ts';

/** What is in a file of Parquet, as text. */
export const textOfParquet = (file: string): Promise<string> =>
  databaseOf(':memory:', { spillTo: tmpdir(), isReadOnly: false, threads: 1, writes: [file] })(
    async (database) =>
      JSON.stringify(
        await rowsOfQuery(database, `SELECT to_json(t)::VARCHAR FROM read_parquet(${literal(file)}) AS t`),
      ),
  );

/** The rows of all tables of a file of SQLite, as text. */
const textOfSqlite = (file: string): string => {
  const database = new Database(file, { readonly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    return (tables.all() as { name: string }[])
      .map(({ name }) => `${name} ${JSON.stringify(database.prepare(`SELECT * FROM ${quoted(name)}`).all())}`)
      .join('\n');
  } finally {
    database.close();
  }
};

const textOf = (file: string): string | Promise<string> => {
  if (file.endsWith('.parquet')) return textOfParquet(file);
  return file.endsWith('.sqlite') ? textOfSqlite(file) : readFile(file, 'utf8');
};

/** What an export holds, as text: all files but the manifest, which holds digests of them. */
export const textOfExport = async (directory: string): Promise<string> => {
  const names = (await readdir(directory)).filter((name) => !/^(?:manifest|owner)\./.test(name)).sort();
  return (
    await Promise.all(names.map(async (name) => `${name}\n${await textOf(join(directory, name))}`))
  ).join('\n');
};
