import * as fs from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { START_POSITION, type EventStore, type Position } from '../../../src/event-store/port.ts';
import { exportHistory } from '../../../src/history/export/export.ts';
import { openDatabase, type Database } from '../../../src/history/warehouse/duckdb.ts';
import type { FileOperations } from '../../../src/lib/files.ts';
import { isRemadeAsWhole, type ExportFormatOptions } from '../../../src/history/export/formats.ts';
import { createWarehouseWriterFactory } from '../../../src/history/export/warehouse-writer-factory.ts';
import type { ExportManifest } from '../../../src/history/export/manifest.ts';
import { createNdjsonWriterFactory } from '../../../src/history/export/ndjson.ts';
import { maskBy, type Mask } from '../../../src/history/moment/mask.ts';
import { warehouseSourceOf } from '../../../src/history/warehouse/warehouse-source.ts';
import { prepareWarehouse } from '../../../src/history/warehouse/prepare.ts';
import { withPreparedWarehouse, WAREHOUSE_FILE } from '../../../src/history/warehouse/runnable-statement.ts';
import { choices, histories, interleave, type PlacedEvent } from '../../support/history.ts';
import { openMemoryEventStore } from '../../support/memory-stores.ts';

/** Events in a part: few, so that small histories have several. */
export const PART_EVENTS = 7;

/** The events of random histories, in random orders. */
export const eventLists: fc.Arbitrary<readonly PlacedEvent[]> = fc
  .tuple(histories, choices)
  .map(([history, order]) => interleave(history, order));

/** A store with these events. */
export const storeOf = async (events: readonly PlacedEvent[]): Promise<EventStore> => {
  const store = openMemoryEventStore();
  for (const { stream, revision, ...event } of events)
    await store.append({ stream, expectedRevision: revision - 1, events: [event] });
  return store;
};

export const maskSecret = 'a secret for masks, thirty-two bytes or more';

/** A kill of the process loses nothing that it has written, so tests need not wait for the disk. */
const unsynced: FileOperations = { ...fs, fsyncSync: () => undefined };

interface Exporting {
  readonly upTo?: Position;
  /** Only what was recorded by then. */
  readonly at?: string | null;
  readonly operations?: FileOperations;
  readonly withPersonalData?: boolean;
  readonly code?: string;
  readonly signal?: AbortSignal;
  /** Events in a part; few when left out. */
  readonly partEvents?: number;
  /** Of NDJSON: awaited after each read, with the events that were read. */
  readonly throttle?: (events: number) => Promise<void>;
  /** As of `exportHistory`. */
  readonly onRestart?: () => void;
}

/** Brings the warehouse of a log up to date, and reads it. */
const withWarehouseOf = <T>(
  log: EventStore,
  mask: Mask,
  directory: string,
  use: (database: Database) => Promise<T>,
): Promise<T> =>
  withPreparedWarehouse(
    { directory, threads: 1, writesIn: tmpdir() },
    (preparation) => {
      fs.mkdirSync(preparation.spillTo, { recursive: true });
      return prepareWarehouse(warehouseSourceOf(log, mask), preparation, {
        signal: new AbortController().signal,
        onProgress: () => undefined,
        areFew: true,
      });
    },
    use,
  );

/** A warehouse that is open until the log grows, since it takes long to open. */
interface OpenWarehouse {
  readonly upTo: Position;
  readonly database: Database;
}

const openWarehouses = new WeakMap<EventStore, Map<boolean, OpenWarehouse>>();

/** The open warehouse of a log. Exports of tables leave nothing in it, so that they share one. */
const warehouseOf = async (log: EventStore, mask: Mask): Promise<Database> => {
  const opened = openWarehouses.get(log) ?? new Map<boolean, OpenWarehouse>();
  openWarehouses.set(log, opened);
  const upTo = await log.head();
  const found = opened.get(mask.isMasked);
  if (found?.upTo === upTo) return found.database;
  found?.database.close();
  const database = await inDirectory((directory) =>
    withWarehouseOf(log, mask, directory, () =>
      // What is open stays readable where its file is deleted.
      openDatabase(join(directory, WAREHOUSE_FILE), {
        spillTo: join(tmpdir(), 'hiring-export-spill'),
        isReadOnly: true,
        threads: 1,
        writesIn: tmpdir(),
      }),
    ),
  );
  opened.set(mask.isMasked, { upTo, database });
  return database;
};

export const exportInto = async (
  log: EventStore,
  directory: string,
  form: ExportFormatOptions,
  {
    upTo,
    operations = unsynced,
    withPersonalData = false,
    code = '1.0.0',
    at = null,
    signal = new AbortController().signal,
    throttle = () => Promise.resolve(),
    partEvents = PART_EVENTS,
    onRestart,
  }: Exporting = {},
): Promise<ExportManifest> => {
  fs.mkdirSync(directory, { recursive: true });
  const mask = maskBy(withPersonalData ? undefined : maskSecret);
  const source = warehouseSourceOf(log, mask);
  const to = { at, position: upTo ?? (await log.head()) };
  const asked = { form, code, to };
  const options = { operations, signal, partEvents, ...(onRestart && { onRestart }) };
  if (form.format === 'ndjson') {
    const reading = { types: form.types, upTo: to.position, signal, throttle, onRead: () => undefined };
    return exportHistory(source, createNdjsonWriterFactory(source, reading), directory, asked, options);
  }
  const write = (database: Database) => {
    const writing = createWarehouseWriterFactory({ database, isMasked: mask.isMasked, signal }, form);
    return exportHistory(source, writing, directory, asked, options);
  };
  return isRemadeAsWhole(form)
    ? inDirectory((warehouse) => withWarehouseOf(log, mask, warehouse, write))
    : write(await warehouseOf(log, mask));
};

/** All files of a directory. */
export const filesOf = async (directory: string): Promise<ReadonlyMap<string, string>> => {
  const names = (await readdir(directory)).sort();
  const read = async (name: string) => [name, (await readFile(join(directory, name))).toString('base64')] as const;
  return new Map(await Promise.all(names.map(read)));
};

export class Killed extends Error {}

/** Operations of which only the first ones are done, as in a process that is killed then; and how many were begun. */
export const killedAfter = (operations: number) => {
  let begun = 0;
  const begin = (): void => {
    if (begun++ >= operations) throw new Killed('killed');
  };
  const wrapped: FileOperations = {
    closeSync: fs.closeSync,
    fsyncSync: begin,
    openSync(...given) {
      begin();
      return fs.openSync(...given);
    },
    renameSync(...given) {
      begin();
      fs.renameSync(...given);
    },
    rmSync(...given) {
      begin();
      fs.rmSync(...given);
    },
    ftruncateSync(...given) {
      begin();
      fs.ftruncateSync(...given);
    },
    writeSync: ((descriptor: number, bytes: Buffer, at: number) => {
      // Half of what was to be written is there.
      if (begun >= operations) fs.writeSync(descriptor, bytes, at, Math.ceil((bytes.length - at) / 2));
      begin();
      return fs.writeSync(descriptor, bytes, at);
    }) as typeof fs.writeSync,
  };
  return { operations: wrapped, begun: () => begun };
};

/** A directory that is deleted afterwards. */
export const inDirectory = async <T>(act: (directory: string) => Promise<T>): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-export-'));
  try {
    return await act(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
};

/** All events of a store. */
export const eventsIn = (store: EventStore) => store.readAll(START_POSITION, 100_000);
