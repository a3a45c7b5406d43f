import { statSync } from 'node:fs';
import { closeAfter, openReader, type Connection } from '../../sqlite/connections.ts';
import { publicFailureMessageOf, fileFailureOf, refuseMalformed } from '../../sqlite/failures.ts';
import { prepareTextSelect, prepareTextsSelect } from '../../sqlite/texts.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable.ts';
import { createReadModelFileCatalog } from './read-model-files.ts';
import { delegateSyncReadModels, createSyncReadModels, type SyncReadModels } from './sync-read-models.ts';
import {
  NotBuiltError,
  parseCheckpoint,
  type Checkpoint,
  type Collection,
  type InterruptedBuildReader,
} from '../port.ts';

const TABLES = "FROM sqlite_master WHERE type = 'table' AND name <> 'projection'";

/** The collections in a projection's file; none where it holds another, such as an operator's copy. */
const collectionsIn = (connection: Connection, projection: string): string[] => {
  const isOurs = connection.prepare('SELECT 1 FROM projection WHERE name = ?').raw();
  if (isOurs.all([projection]).length === 0) return [];
  return prepareTextsSelect(connection, ['name'], TABLES)();
};

/** The checkpoint that a file has of a projection, as JSON: empty before the first; undefined in a file of another. */
const checkpointIn = (connection: Connection, projection: string): string | undefined => {
  const column = "ifnull(checkpoint, '')";
  return prepareTextSelect(connection, column, 'FROM projection WHERE name = ?')(projection);
};

/** Of a file that is no read model, or is gone. */
const isNotOurs = (error: unknown): boolean =>
  error instanceof Error && /no such (table|column)|Unable to open/.test(error.message);

const unreadable = (cause: unknown): StoreUnavailableError =>
  new StoreUnavailableError(publicFailureMessageOf(cause), { cause });

/**
 * Reads the files of complete read models while their writer has them open.
 *
 * @param path as for `createReadModelFileCatalog`
 * @param onDamaged told of each projection whose file a read has found damaged; its queries get NotBuiltError until it
 *   is built anew
 */
export const openFileReaders = (path: string, onDamaged: (projection: string) => void = () => undefined) => {
  const files = createReadModelFileCatalog(path);
  /** By projection name. */
  const connections = new Map<string, Connection>();
  /** By collection name. */
  let selects = new Map<string, { readonly projection: string; readonly selects: SyncReadModels }>();

  const open = (projection: string): void => {
    let connection: Connection | undefined;
    try {
      connection = openReader(files.whole(projection));
      const own = createSyncReadModels(connection);
      for (const collection of collectionsIn(connection, projection))
        selects.set(collection, { projection, selects: own });
      connections.set(projection, connection);
    } catch (error) {
      connection?.close();
      const failure = fileFailureOf(error, files.whole(projection));
      if (failure === 'damaged') onDamaged(projection);
      else if (!isNotOurs(error)) throw failure === 'passing' ? unreadable(error) : error;
    }
  };
  const lookAgain = (): void => {
    for (const projection of files.projections()) if (!connections.has(projection)) open(projection);
  };

  /**
   * @throws NotBuiltError where the collection is not there, or is damaged
   * @throws StoreUnavailableError where it cannot be read now
   */
  const of = <T>({ name }: Collection, read: (selects: SyncReadModels) => T): T => {
    if (!selects.has(name)) lookAgain();
    const found = selects.get(name);
    if (!found) throw new NotBuiltError(name);
    try {
      return read(found.selects);
    } catch (error) {
      const failure = fileFailureOf(error, files.whole(found.projection));
      if (failure === undefined) throw error;
      if (failure === 'passing') throw unreadable(error);
      close();
      onDamaged(found.projection);
      throw new NotBuiltError(name);
    }
  };

  const checkpointOf = (projection: string): Checkpoint | undefined => {
    if (!connections.has(projection)) lookAgain();
    const connection = connections.get(projection);
    const text = connection && checkpointIn(connection, projection);
    return text ? parseCheckpoint(text) : undefined;
  };

  const close = (): void => {
    for (const connection of connections.values()) connection.close();
    connections.clear();
    selects = new Map();
  };

  return {
    selects: delegateSyncReadModels(of),
    checkpointOf,
    /** By projection name. */
    checkpoints(): Map<string, Checkpoint> {
      lookAgain();
      const all = [...connections.keys()].map((name) => [name, checkpointOf(name)] as const);
      return new Map(all.flatMap(([name, checkpoint]) => (checkpoint ? [[name, checkpoint]] : [])));
    },
    /** To be called when a file was removed or replaced. */
    close,
  };
};

/**
 * Reads the documents of a projection being built while no thread writes them. @param path as of
 * `createReadModelFileCatalog`
 */
export const openEmbeddedInterruptedBuildReader = (path: string, projection: string): InterruptedBuildReader => {
  const connection = openReader(createReadModelFileCatalog(path).building(projection));
  const { scan } = createSyncReadModels(connection);
  return {
    scan: (...of) => Promise.resolve(scan(...of)),
    close() {
      connection.close();
      return Promise.resolve();
    },
  };
};

/**
 * Opens the file of a complete read model, and reads what it says of itself.
 *
 * @throws StoreUnavailableError while it cannot be read
 * @throws Error for one that is damaged
 */
export const refuseDamagedReadModel = (file: string, projection: string): void => {
  if (statSync(file).size === 0) throw new Error('it is empty');
  try {
    closeAfter(openReader(file), (connection) => {
      refuseMalformed(file, connection);
      const text = checkpointIn(connection, projection);
      if (text === undefined) throw new Error('it holds another projection');
      if (text !== '') parseCheckpoint(text);
    });
  } catch (error) {
    throw fileFailureOf(error) === 'passing' ? unreadable(error) : error;
  }
};
