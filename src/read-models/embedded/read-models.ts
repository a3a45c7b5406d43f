import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../lib/file-access.ts';
import { closeAfter, openReader } from '../../sqlite/connections.ts';
import { openProjectionFile, type ProjectionFile } from './projection-file.ts';
import { fileFailureOf } from '../../sqlite/failures.ts';
import { removeDatabase, setAsideDamagedDatabase } from '../../sqlite/files.ts';
import { createReadModelFileCatalog } from './read-model-files.ts';
import { openFileReaders } from './file-readers.ts';
import { toAsyncReadModels, delegateSyncReadModels } from './sync-read-models.ts';
import {
  DamagedBuildError,
  definitionTextOf,
  NotBuiltError,
  parseCheckpoint,
  type ProjectionIdentity,
  type ReadModelStore,
} from '../port.ts';

/** Version of the tables; a change needs a rebuild. */
const LAYOUT = 6;

/**
 * The read models in SQLite files, one for each build, which an operator may delete while the service is down. A file
 * appears under its name once it is built. The name of a projection is here the id of the build. All work is
 * synchronous; open only one.
 *
 * @param path `…/read-models.db` for files as `…/read-models.db.posting-candidates@2.1`; made when missing
 * @param onWarning told of a damaged file, which is renamed and rebuilt
 */
export const openEmbeddedReadModels = (
  path: string,
  onWarning: (line: string) => void = () => undefined,
): ReadModelStore => {
  makeDirectory(dirname(path));
  removeOlder(path, onWarning);
  const files = createReadModelFileCatalog(path);
  /** The files written here, by projection name. */
  const opened = new Map<string, ProjectionFile>();
  /** By collection name. */
  const owners = new Map<string, { readonly name: string; readonly file: ProjectionFile }>();
  const readers = openFileReaders(path);

  const close = (name: string): void => {
    const file = opened.get(name);
    opened.delete(name);
    for (const [collection, owner] of owners) if (owner.name === name) owners.delete(collection);
    file?.close();
  };
  const open = ({ name, collections }: ProjectionIdentity, isBuilding: boolean): ProjectionFile => {
    close(name);
    const file = openProjectionFile(isBuilding ? files.building(name) : files.whole(name), isBuilding);
    opened.set(name, file);
    for (const collection of collections) owners.set(collection.name, { name, file });
    return file;
  };

  const putAside = (projection: string, file: string): void =>
    onWarning(`${file} is damaged and was renamed ${setAsideDamagedDatabase(file)}: ${projection} is built anew`);

  /** What a projection's file holds, and its checkpoint where it is of the same definition; undefined for no file. */
  const stored = (projection: ProjectionIdentity, isWhole: boolean) => {
    const name = isWhole ? files.whole(projection.name) : files.building(projection.name);
    if (!existsSync(name)) return undefined;
    try {
      const file = open(projection, !isWhole);
      file.check();
      const { definition, checkpoint: text } = file.read() ?? {};
      const isSame = definition === definitionTextOf(LAYOUT, projection);
      return { file, checkpoint: isSame && text ? parseCheckpoint(text) : undefined };
    } catch (error) {
      close(projection.name);
      if (fileFailureOf(error, name) !== 'damaged') throw error;
      putAside(projection.name, name);
      return undefined;
    }
  };

  const remove = (name: string): void => {
    close(name);
    readers.close();
    for (const file of [files.whole(name), files.building(name), ...files.ofOtherBoots(name)]) removeDatabase(file);
  };
  const reset = (projection: ProjectionIdentity): void => {
    remove(projection.name);
    open(projection, true).create(projection, definitionTextOf(LAYOUT, projection));
  };
  const publish = (projection: ProjectionIdentity, file: ProjectionFile): void => {
    const { name, collections } = projection;
    file.publish(collections, files.whole(name));
    open(projection, false);
  };

  /** Closes the writer after an error: documents taken in before may be lost, and `prepare` tells what is stored. */
  const guarded = <T>(name: string, file: ProjectionFile, act: (file: ProjectionFile) => T): T => {
    try {
      return act(file);
    } catch (error) {
      if (error instanceof NotBuiltError) throw error;
      close(name);
      readers.close();
      const path = file.isBuilding ? files.building(name) : files.whole(name);
      if (fileFailureOf(error, path) !== 'damaged') throw error;
      putAside(name, path);
      throw new DamagedBuildError(name, error);
    }
  };
  const written = (name: string, act: (file: ProjectionFile) => void): Promise<void> =>
    asPromise(() => {
      const file = opened.get(name);
      if (!file) throw new Error(`${name} is to be prepared before it is written`);
      guarded(name, file, act);
    });

  const selects = delegateSyncReadModels(({ name }, read) => {
    const owner = owners.get(name);
    return owner ? guarded(owner.name, owner.file, (file) => read(file.selects)) : read(readers.selects);
  });
  const { get, ids, scan } = selects;

  return {
    ...toAsyncReadModels(selects),
    atOnce: { get, ids },
    ids: (...of) => asPromise(() => ids(...of)),
    scan: (...of) => asPromise(() => scan(...of)),
    prepare: (projection) =>
      asPromise(() => {
        const { name } = projection;
        for (const file of files.ofOtherBoots(name)) removeDatabase(file);
        const isWhole = existsSync(files.whole(name));
        const { file, checkpoint } = stored(projection, isWhole) ?? {};
        if (!file || !checkpoint) reset(projection);
        // The build was interrupted before its file could appear.
        else if (!isWhole && !checkpoint.building) publish(projection, file);
        return checkpoint;
      }),
    reset: (projection) => asPromise(() => reset(projection)),
    insert: (projection, documents) =>
      written(projection.name, (file) => {
        for (const some of documents) {
          const collection = projection.collections.find(({ name }) => name === some.collection);
          if (collection) file.insert(collection, some);
        }
      }),
    commit: (projection, writes, checkpoint) =>
      written(projection.name, (file) => {
        file.commit(projection, writes, checkpoint);
        if (file.isBuilding && !checkpoint.building) publish(projection, file);
      }),
    checkpointOf: (name) =>
      asPromise(() => {
        const file = opened.get(name);
        if (!file) return readers.checkpointOf(name);
        const inMemory = file.checkpoint();
        if (inMemory) return inMemory;
        const text = guarded(name, file, (opened) => opened.read()?.checkpoint);
        return text ? parseCheckpoint(text) : undefined;
      }),
    setAside: (name) =>
      asPromise(() => {
        const file = files.whole(name);
        if (!existsSync(file)) return false;
        close(name);
        readers.close();
        putAside(name, file);
        return true;
      }),
    drop: (name) => asPromise(() => remove(name)),
    close: () =>
      asPromise(() => {
        readers.close();
        for (const name of [...opened.keys()]) close(name);
      }),
  };
};

const asPromise = <T>(act: () => T): Promise<T> => new Promise((resolve) => resolve(act()));

const IS_OURS = "SELECT 1 FROM pragma_table_info('projections') WHERE name = 'definition'";

/** Removes the one file of an older version, whose read models are rebuilt. */
const removeOlder = (path: string, onWarning: (line: string) => void): void => {
  if (!existsSync(path)) return;
  try {
    const isOurs = closeAfter(openReader(path), (reader) => reader.prepare(IS_OURS).raw().all([]).length > 0);
    if (isOurs) removeDatabase(path);
  } catch (error) {
    if (fileFailureOf(error, path) !== 'damaged') throw error;
    onWarning(`${path} is damaged and was renamed ${setAsideDamagedDatabase(path)}`);
  }
};
