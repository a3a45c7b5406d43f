import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { invalid } from '../../errors/domain-error.ts';
import { UnusableFileError } from '../../errors/unusable-file.ts';
import { START_POSITION, type Position } from '../../event-store/port.ts';
import { syncToDisk } from '../../lib/files.ts';
import { using } from '../../lib/using.ts';
import { openConcurrentEventLog, type EventStoreSettings } from '../../stores.ts';
import { padPosition } from '../moment/moment.ts';
import { maskBy } from '../moment/mask.ts';
import type { TaskCallbacks } from '../../lib/task-with-progress.ts';
import { warehouseSourceOf, throttleSource, type WarehouseSource } from './warehouse-source.ts';
import {
  toUnusableFileError,
  withDatabase,
  createLazyDatabase,
  textOfQuery,
  type Database,
  type LazyDatabase,
} from './duckdb.ts';
import {
  areMaterialized,
  beginScratch,
  isScratchOfWarehouse,
  materializeMissingRows,
  resolveRowsRequests,
  SCRATCH_FILE,
  type RowsRequest,
} from './materialized-rows.ts';
import { findResumableState, refreshWarehouse, type WarehouseState } from './refresh.ts';
import type { ReadModelReference } from './statement-analysis.ts';

export interface PreparationRequest {
  /** Their rows are materialized beforehand. */
  readonly readModels: readonly ReadModelReference[];
  /**
   * The warehouse's file, beside which the scratch file is, and where DuckDB may write what does not fit into its
   * memory.
   */
  readonly file: string;
  readonly spillTo: string;
  /** As it was written; undefined: the end of the event log. */
  readonly atPosition: string | undefined;
}

/** The stores that a warehouse is made from, and what it is for; plain data, so that a thread can be given it. */
export interface StoresPreparationRequest extends PreparationRequest {
  readonly eventStore: EventStoreSettings;
  /** Of the masks; undefined for a warehouse with personal data. */
  readonly maskSecret: string | undefined;
  /** Events a second that are read at most; left out: as many as can be. */
  readonly perSecond?: number;
}

export type PreparationProgress =
  | { readonly kind: 'copied'; readonly events: number; readonly left: number | undefined }
  /** The warehouse was of another event log, or made by other code. */
  | { readonly kind: 'anew' }
  /** `of`: as far as known. */
  | { readonly kind: 'applied'; readonly readModel: string; readonly events: number; readonly of: number | undefined };

/** Uses the stores that a warehouse is made from. */
export const withWarehouseSource = <T>(
  { eventStore, maskSecret, perSecond }: StoresPreparationRequest,
  onDropped: TaskCallbacks<PreparationProgress>['onDropped'],
  act: (source: WarehouseSource) => Promise<T>,
): Promise<T> =>
  using(openConcurrentEventLog(eventStore, onDropped), (log) =>
    act(throttleSource(warehouseSourceOf(log, maskBy(maskSecret)), perSecond)),
  );

/** A file that cannot be used is made anew. */
const undefinedIfOf =
  (file: string) =>
  (error: unknown): undefined => {
    if (!(toUnusableFileError(file, error) instanceof UnusableFileError)) throw error;
  };

/** Reads a file that readers have; undefined where there is none yet that can be read. */
const reading = async <T>(
  file: string,
  { spillTo }: Pick<PreparationRequest, 'spillTo'>,
  act: (database: Database) => Promise<T>,
): Promise<T | undefined> =>
  existsSync(file)
    ? withDatabase(file, { spillTo, isReadOnly: true, threads: 1 })(act).catch(undefinedIfOf(file))
    : undefined;

const scratchFile = ({ file }: Pick<PreparationRequest, 'file'>): string => join(dirname(file), SCRATCH_FILE);

/** @throws DomainError for a position at which no event stands */
const answerPosition = async (
  database: Database,
  requested: string | undefined,
  { position: end }: WarehouseState,
): Promise<Position> => {
  if (requested === undefined) return end;
  const position = padPosition(requested, end);
  const isThere = await textOfQuery(database, 'SELECT 1 FROM events WHERE position = $1', [position]);
  if (isThere === undefined) throw invalid(`No event stands at the position ${requested}; the last one is at ${end}`);
  return position;
};

/** What a statement needs of a warehouse that has all events: its position, and rows of read models. */
interface ResolvedNeeds {
  readonly upTo: Position;
  readonly rows: readonly RowsRequest[];
}

const needsOf = async (
  database: Database,
  { atPosition, readModels }: PreparationRequest,
  state: WarehouseState,
): Promise<ResolvedNeeds> => {
  const upTo = await answerPosition(database, atPosition, state);
  return { upTo, rows: await resolveRowsRequests(database, readModels, upTo) };
};

/** Whether the scratch file has all rows that are needed. */
const hasRows = async (
  preparation: PreparationRequest,
  { id }: WarehouseState,
  { shownAs: { isMasked } }: WarehouseSource,
  { rows }: ResolvedNeeds,
): Promise<boolean> =>
  (await reading(
    scratchFile(preparation),
    preparation,
    async (scratch) =>
      (await isScratchOfWarehouse(scratch, { id, isMasked })) && (await areMaterialized(scratch, rows)),
  )) ?? false;

/** What a statement needs of a warehouse, and what there is. */
interface PreparationPlan {
  /** The end of the event log, up to which the warehouse is brought. */
  readonly head: Position;
  /** Of the file that readers have; undefined where it is to be made, or made anew. */
  readonly state: WarehouseState | undefined;
  /** The position that the statement is answered at, where nothing is to be done before. */
  readonly ready: Position | undefined;
}

/**
 * Finds what is to be done before a statement can be answered.
 *
 * @throws DomainError for a position or a moment that a warehouse that is up to date does not reach
 */
export const planPreparation = async (
  source: WarehouseSource,
  preparation: PreparationRequest,
): Promise<PreparationPlan> => {
  const head = await source.head();
  const { state, needs } =
    (await reading(preparation.file, preparation, async (database) => {
      const current = await findResumableState(database, source);
      const isBehind = !current || current.position < head;
      return { state: current, needs: isBehind ? undefined : await needsOf(database, preparation, current) };
    })) ?? {};
  const isReady = state && needs && (await hasRows(preparation, state, source, needs));
  return { head, state, ready: isReady ? needs.upTo : undefined };
};

/**
 * How many events are to be read for a plan, at most, of an event log in a file, whose positions count them: those that
 * the warehouse has not, or all where rows of read models have to be made.
 */
export const estimateEventsToRead = (
  { head, state, ready }: PreparationPlan,
  { readModels }: Pick<PreparationRequest, 'readModels'>,
): number => {
  if (ready !== undefined) return 0;
  return Number(head) - (readModels.length > 0 ? 0 : Number(state?.position ?? START_POSITION));
};

/** The directory in which the next file is written. */
export const NEXT_DIRECTORY = 'next';

interface PreparationOptions extends Pick<TaskCallbacks<PreparationProgress>, 'signal' | 'onProgress'> {
  /** Then there is little memory to free, and opening a file takes longer than storing the events. */
  readonly areFew?: boolean;
}

/**
 * Writes the next file, while readers have the last one. What a killed process has left of it is continued.
 *
 * @param write is given the database, and a way to begin it anew
 */
const writingNext = async <T>(
  file: string,
  { spillTo }: Pick<PreparationRequest, 'spillTo'>,
  { areFew = false }: Pick<PreparationOptions, 'areFew'>,
  write: (next: LazyDatabase, beginAnew: () => void) => Promise<T>,
): Promise<T> => {
  // The file's name is that of the database in it.
  const next = join(dirname(file), NEXT_DIRECTORY, basename(file));
  // With two threads the joins of a million events need more than the memory that there is.
  const database = createLazyDatabase(next, { spillTo, isReadOnly: false, threads: 1, memory: 'append' });
  try {
    mkdirSync(dirname(next), { recursive: true, mode: 0o700 });
    if (!existsSync(next) && existsSync(file)) {
      const copy = `${next}.copy`;
      rmSync(copy, { recursive: true, force: true });
      copyFileSync(file, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      renameSync(copy, next);
    }
    const kept = areFew ? { ...database, close: () => undefined } : database;
    const result = await write(kept, () => {
      database.close();
      // In this order, so that the log of one file never stands beside another file.
      for (const each of [`${next}.wal`, next]) rmSync(each, { force: true });
    });
    database.close();
    // DuckDB reports no failure where it could not write all of the file.
    if (existsSync(`${next}.wal`))
      throw new UnusableFileError(`The warehouse ${next} is not whole; allowed: a directory with room`);
    syncToDisk(next);
    renameSync(next, file);
    rmSync(dirname(next), { recursive: true, force: true });
    return result;
  } catch (error) {
    throw toUnusableFileError(next, error);
  } finally {
    database.close();
  }
};

/** Brings a warehouse up to a position of the event log, or makes it. */
const refresh = (
  head: Position,
  source: WarehouseSource,
  preparation: PreparationRequest,
  options: PreparationOptions,
): Promise<WarehouseState> =>
  writingNext(preparation.file, preparation, options, async (next, beginAnew) => {
    const { found, isNew } = (await next
      .within(async (database) => ({
        found: await findResumableState(database, source),
        isNew: (await textOfQuery(database, 'SELECT 1 FROM duckdb_tables() LIMIT 1')) === undefined,
      }))
      .catch(undefinedIfOf(preparation.file))) ?? { found: undefined, isNew: false };
    if (!found && !isNew) {
      options.onProgress({ kind: 'anew' });
      beginAnew();
    }
    return refreshWarehouse(next, source, found, head, {
      signal: options.signal,
      onCopied: (events, left) => options.onProgress({ kind: 'copied', events, left }),
    });
  });

/** Materializes rows of read models in the scratch file of a warehouse. */
const materializeRows = (
  { id }: WarehouseState,
  { rows }: ResolvedNeeds,
  source: WarehouseSource,
  preparation: PreparationRequest,
  options: PreparationOptions,
): Promise<void> => {
  const { isMasked } = source.shownAs;
  const file = scratchFile(preparation);
  return writingNext(file, preparation, options, async (next, beginAnew) => {
    const isOf = await next
      .within((scratch) => isScratchOfWarehouse(scratch, { id, isMasked }))
      .catch(undefinedIfOf(file));
    if (isOf !== true) {
      beginAnew();
      await next.within((scratch) => beginScratch(scratch, { id, isMasked }));
    }
    await materializeMissingRows(next, source, rows, {
      signal: options.signal,
      onEvents: (readModel, events, of) => options.onProgress({ kind: 'applied', readModel, events, of }),
    });
  });
};

/**
 * Does what a plan says: brings a warehouse up to the end of the event log, and materializes the rows of read models
 * that a statement names.
 *
 * @returns the position that the statement is answered at
 * @throws DomainError for a position or a moment that the warehouse does not reach, after it was brought up to date
 */
export const runPreparation = async (
  { head, state: found, ready }: PreparationPlan,
  source: WarehouseSource,
  preparation: PreparationRequest,
  options: PreparationOptions,
): Promise<Position> => {
  if (ready !== undefined) return ready;
  const isBehind = !found || found.position < head;
  const state = isBehind ? await refresh(head, source, preparation, options) : found;
  const { file, spillTo } = preparation;
  const needs = await withDatabase(file, { spillTo, isReadOnly: true, threads: 1 })((database) =>
    needsOf(database, preparation, state),
  );
  if (!(await hasRows(preparation, state, source, needs)))
    await materializeRows(state, needs, source, preparation, options);
  return needs.upTo;
};

/** Plans and carries out what a statement needs. @returns, throws as `planPreparation` and `runPreparation` */
export const prepareWarehouse = async (
  source: WarehouseSource,
  preparation: PreparationRequest,
  options: PreparationOptions,
): Promise<Position> => runPreparation(await planPreparation(source, preparation), source, preparation, options);
