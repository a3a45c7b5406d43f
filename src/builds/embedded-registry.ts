import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { StoreUnavailableError } from '../errors/store-unavailable.ts';
import { UnusableFileError } from '../errors/unusable-file.ts';
import type { EventPointer } from '../event-store/port.ts';
import { errorMessageOf } from '../lib/error.ts';
import { makeDirectory } from '../lib/file-access.ts';
import { refuseNonFile } from '../sqlite/check-failed.ts';
import { hasTable, inTransaction, setPragmas, type Connection } from '../sqlite/connections.ts';
import { publicFailureMessageOf, fileFailureOf, refuseMalformed } from '../sqlite/failures.ts';
import { makeMissingFile, setAsideDamagedDatabase } from '../sqlite/files.ts';
import { prepareTextSelect, prepareTextsSelect } from '../sqlite/texts.ts';
import type { ProjectionBuilds } from './build-schema.ts';
import { parseLogLoss, parseProjectionBuilds, toStoredRecord, type BuildRegistry, type LogLoss } from './registry.ts';

const SCHEMA = 'CREATE TABLE IF NOT EXISTS catalogue (name TEXT PRIMARY KEY, entry TEXT NOT NULL) STRICT';
/** Of one row. A table of its own: older code takes every row of `catalogue` for a projection's record. */
const LOG_SCHEMA = 'CREATE TABLE IF NOT EXISTS log (position TEXT NOT NULL, id TEXT NOT NULL) STRICT';
/** Of one row, JSON. */
const LOSS_SCHEMA = 'CREATE TABLE IF NOT EXISTS lost (note TEXT NOT NULL) STRICT';
const BUSY_MS = 5_000;

/** Told that a damaged file was set aside. */
interface DamageListener {
  /** Told in one line that a damaged file was renamed. */
  readonly onWarning: (line: string) => void;
  /**
   * Called where a file begins with nothing: no build that was made before is known any more.
   *
   * @param loss what is lost, in words; undefined where a warning has told of it
   */
  readonly onNew: (loss: string | undefined) => void;
}

const openRegistryFile = (file: string) => {
  refuseNonFile(file);
  makeMissingFile(file);
  const connection = new Database(file, { timeout: BUSY_MS });
  try {
    setPragmas(connection, 'synchronous = FULL');
    refuseMalformed(file, connection);
    const isNew = connection.prepare('SELECT 1 FROM sqlite_master').raw().all([]).length === 0;
    connection.exec(SCHEMA);
    return {
      connection,
      isNew,
      inode: statSync(file).ino,
      selectAll: prepareTextsSelect(connection, ['entry'], 'FROM catalogue'),
      select: prepareTextSelect(connection, 'entry', 'FROM catalogue WHERE name = ?'),
      restore: connection.prepare('INSERT OR IGNORE INTO catalogue (name, entry) VALUES (?, ?)'),
      replace: connection.prepare('INSERT OR REPLACE INTO catalogue (name, entry) VALUES (?, ?)'),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
};
type RegistryFile = ReturnType<typeof openRegistryFile>;

/** Texts of the one row of a table; none where it has none, or is not there. */
const readRow = (connection: Connection, table: string, columns: readonly string[]): readonly string[] =>
  hasTable(connection, table) ? prepareTextsSelect(connection, columns, `FROM ${table}`)() : [];

const replaceRow = (
  connection: Connection,
  schema: string,
  table: string,
  row: readonly string[] | undefined,
): void => {
  connection.exec(`${schema}; DELETE FROM ${table}`);
  if (row) connection.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(row);
};

const MENDED = 'a running service, or the next start, sets it aside and makes another';
const ALL_ANEW =
  'every projection is built anew; pauses, builds kept for a rollback and what operators had asked for are lost';

const asPromise = async <T>(act: () => T): Promise<T> => {
  await Promise.resolve();
  try {
    return act();
  } catch (error) {
    throw fileFailureOf(error)
      ? new StoreUnavailableError(`the build registry cannot be used: ${publicFailureMessageOf(error)}`, {
          cause: error,
        })
      : error;
  }
};

/**
 * The build registry in a file beside the embedded read models, since the command line changes it while the service
 * writes those. A rollback journal (SQLite's default) is safe among several processes.
 *
 * @param file path of `projections.db`; made when missing
 * @param onDamage given by the projector's thread, which reads the file all the time. A damaged file is then set aside,
 *   and a new one begins with the records that were read last. If none were read yet, all builds are made anew. Left
 *   out: a damaged file stays as it is.
 */
export const openEmbeddedBuildRegistry = (file: string, onDamage?: DamageListener): BuildRegistry => {
  makeDirectory(dirname(file));
  const isDamage = (error: unknown): boolean => fileFailureOf(error, file) === 'damaged';
  /** Parsed records by their JSON: they are read far more often than changed. */
  let known: ReadonlyMap<string, ProjectionBuilds> = new Map();
  let knownFirst: EventPointer | undefined;
  let knownLoss: LogLoss | undefined;
  let readAt = new Date();

  const readFirstEvent = ({ connection }: RegistryFile): EventPointer | undefined => {
    const [position, id] = readRow(connection, 'log', ['position', 'id']);
    return (knownFirst = position === undefined || id === undefined ? undefined : { position, id });
  };
  const readLogLoss = ({ connection }: RegistryFile): LogLoss | undefined => {
    const [note] = readRow(connection, 'lost', ['note']);
    return (knownLoss = note === undefined ? undefined : parseLogLoss(JSON.parse(note)));
  };
  const noteFirstEvent = ({ connection }: RegistryFile, first: EventPointer | undefined): void => {
    replaceRow(connection, LOG_SCHEMA, 'log', first && [first.position, first.id]);
    knownFirst = first;
  };
  const noteLogLoss = ({ connection }: RegistryFile, lost: LogLoss): void => {
    replaceRow(connection, LOSS_SCHEMA, 'lost', [JSON.stringify(lost)]);
    knownLoss = lost;
  };
  const readAll = ({ selectAll }: RegistryFile): void => {
    const texts = selectAll();
    readAt = new Date();
    known = new Map(texts.map((text) => [text, known.get(text) ?? parseProjectionBuilds(JSON.parse(text))]));
  };
  /** Stores the records read last in a file that was just made. */
  const begin = (own: RegistryFile, isDamaged: boolean): void => {
    if (known.size === 0) onDamage?.onNew(isDamaged ? undefined : ALL_ANEW);
    else if (!isDamaged) onDamage?.onWarning(`${file} was missing: the records of ${readAt.toISOString()} are kept`);
    inTransaction(own.connection, () => {
      if (knownFirst) noteFirstEvent(own, knownFirst);
      if (knownLoss) noteLogLoss(own, knownLoss);
      for (const [text, { name }] of known) own.restore.run([name, text]);
    });
  };
  const open = (isDamaged = false): RegistryFile => {
    const own = openRegistryFile(file);
    try {
      if (own.isNew) begin(own, isDamaged);
      else {
        readAll(own);
        readFirstEvent(own);
        readLogLoss(own);
      }
      return own;
    } catch (error) {
      own.connection.close();
      throw error;
    }
  };
  const openOrMend = (): RegistryFile => {
    try {
      return open();
    } catch (error) {
      if (!isDamage(error)) throw error;
      const reason = errorMessageOf(error);
      if (!onDamage) throw new UnusableFileError(`${file} is damaged: ${reason}; ${MENDED}`, { cause: error });
      const loss = known.size === 0 ? ALL_ANEW : `the records of ${readAt.toISOString()} are kept`;
      onDamage.onWarning(`${file} is damaged (${reason}) and was renamed ${setAsideDamagedDatabase(file)}: ${loss}`);
      return open(true);
    }
  };

  let opened = openOrMend();
  const openAgain = (): void => {
    opened.connection.close();
    opened = openOrMend();
  };
  /** Another thread of the service may have set the file aside. */
  const isReplaced = (): boolean => statSync(file, { throwIfNoEntry: false })?.ino !== opened.inode;

  const on = <T>(act: (own: RegistryFile) => T): Promise<T> =>
    asPromise(() => {
      if (isReplaced()) openAgain();
      try {
        return act(opened);
      } catch (error) {
        if (!onDamage || !isDamage(error)) throw error;
        openAgain();
        return act(opened);
      }
    });

  return {
    all: () =>
      on((own) => {
        readAll(own);
        return new Map([...known.values()].map((record) => [record.name, record]));
      }),
    change: (name, act) =>
      on((own) =>
        inTransaction(own.connection, () => {
          const text = own.select(name);
          const before = text === undefined ? undefined : parseProjectionBuilds(JSON.parse(text));
          const after = act(before);
          if (after !== before) own.replace.run([name, JSON.stringify(toStoredRecord(after))]);
          return after;
        }),
      ),
    firstOfLog: () => on(readFirstEvent),
    noteFirstEvent: (first) => on((own) => inTransaction(own.connection, () => noteFirstEvent(own, first))),
    logLoss: () => on(readLogLoss),
    noteLogLoss: (lost) => on((own) => inTransaction(own.connection, () => noteLogLoss(own, lost))),
    close() {
      opened.connection.close();
      return Promise.resolve();
    },
  };
};
