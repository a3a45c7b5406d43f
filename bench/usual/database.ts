import { projections } from '../../projections/index.ts';
import { createReadModelFileCatalog } from '../../src/read-models/embedded/read-model-files.ts';
import { openWriter, type Connection } from '../../src/sqlite/connections.ts';

/** The service's read models as the usual stack uses them. */
export interface Database {
  readonly connection: Connection;
  /** The table of a collection, such as `posting_candidates`, as SQL names it. */
  readonly table: (collection: string) => string;
}

/** For each list an index in its order, and what else is asked of it: as many as a team would make. */
const indexes = (table: Database['table']) => `
  CREATE INDEX usual_shortlisted ON ${table('posting_candidates')}
    (postingId, document ->> 'shortlisted' DESC, document ->> 'appliedAt' DESC, id);
  CREATE INDEX usual_newest ON ${table('posting_candidates')}
    (postingId, document ->> 'appliedAt' DESC, id);
  CREATE INDEX usual_saved ON ${table('saved_postings')}
    (professionalId, document ->> 'savedAt' DESC, postingId);
  CREATE INDEX usual_as_of ON ${table('saved_postings')} (professionalId, document ->> 'asOf');
  CREATE INDEX usual_own ON ${table('professional_candidates')}
    (professionalId, document ->> 'professionalStatus', document ->> 'appliedAt' DESC, id);
  ANALYZE;`;

/** What is written: who saved what, filled with what the file tells, and the answers under an Idempotency-Key. */
const tables = (table: Database['table']) => `
  CREATE TABLE saves (
    professionalId TEXT NOT NULL, postingId TEXT NOT NULL, savedAt TEXT NOT NULL, savedBy TEXT,
    PRIMARY KEY (professionalId, postingId)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO saves (professionalId, postingId, savedAt)
    SELECT professionalId, postingId, document ->> 'savedAt' FROM ${table('saved_postings')};
  CREATE TABLE idempotency_keys (
    userId TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL, expiresAt TEXT NOT NULL,
    PRIMARY KEY (userId, key)
  ) STRICT, WITHOUT ROWID;`;

/**
 * Takes the tables of a projection's file, with their rows and indexes.
 *
 * @returns their names
 */
const takeTables = (connection: Connection, file: string): string[] => {
  connection.prepare('ATTACH ? AS build').run([file]);
  const made = connection
    .prepare("SELECT type, name, sql FROM build.sqlite_master WHERE sql IS NOT NULL AND name <> 'projection'")
    .raw()
    .all([]) as (readonly [type: string, name: string, sql: string])[];
  const names = made.flatMap(([type, name]) => (type === 'table' ? [name] : []));
  for (const [type, , sql] of made) if (type === 'table') connection.exec(sql);
  for (const name of names) connection.exec(`INSERT INTO main."${name}" SELECT * FROM build."${name}"`);
  for (const [type, , sql] of made) if (type === 'index') connection.exec(sql);
  connection.exec('DETACH build');
  return names;
};

/**
 * Makes the function that finds the table of a collection, of the build that this code has made.
 *
 * @throws Error where there is none or several
 */
const tablesIn =
  (names: readonly string[]): Database['table'] =>
  (collection) => {
    const projection = projections.find(({ collections }) => collections.some(({ name }) => name === collection));
    const start = `${collection}_v${projection?.version ?? ''}_`;
    const [name, ...others] = names.filter((each) => each.startsWith(start));
    if (name === undefined || others.length > 0)
      throw new Error(`The tables of ${collection} are ${names.join(', ')}; allowed: one ${start}…`);
    return `"${name}"`;
  };

/**
 * Makes one file of the service's read models, to read and to write, with the settings of the service's log: a commit
 * is on disk when it returns. The indexes and tables that a team would have are made as well.
 *
 * @param path of the service's files; of the file that is made
 */
export const openDatabase = (path: string): Database => {
  const connection = openWriter(path, 'FULL');
  const files = createReadModelFileCatalog(path);
  const names = files.projections().flatMap((projection) => takeTables(connection, files.whole(projection)));
  const table = tablesIn(names);
  connection.exec(indexes(table));
  connection.exec(tables(table));
  return { connection, table };
};
