import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { noMask } from '../../../src/history/moment/mask.ts';
import { warehouseSourceOf } from '../../../src/history/warehouse/warehouse-source.ts';
import { withDatabase } from '../../../src/history/warehouse/duckdb.ts';
import { prepareWarehouse } from '../../../src/history/warehouse/prepare.ts';
import { filteredEventViewsSql } from '../../../src/history/warehouse/schema.ts';
import { WAREHOUSE_FILE } from '../../../src/history/warehouse/runnable-statement.ts';
import type { RecordedEvent } from '../../../src/event-store/port.ts';
import { logWith } from '../moment/stage.ts';

type Row = Readonly<Record<string, unknown>>;

/** Brings the warehouse of a directory up to the end of an event log. */
export const refresh = async (directory: string, events: readonly RecordedEvent[]): Promise<void> => {
  mkdirSync(join(directory, 'spill'), { recursive: true });
  const preparation = {
    readModels: [],
    file: join(directory, WAREHOUSE_FILE),
    spillTo: join(directory, 'spill'),
    atPosition: undefined,
  };
  const log = { ...logWith(events), countAfter: () => Promise.resolve(events.length) };
  await prepareWarehouse(warehouseSourceOf(log, noMask), preparation, {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
};

/** Answers statements from the warehouse of a directory. @param upTo a position, as if the event log ended there */
export const answers = (
  directory: string,
  statements: readonly string[],
  { timeZone, upTo }: { readonly timeZone?: string; readonly upTo?: string } = {},
): Promise<readonly (readonly Row[])[]> =>
  withDatabase(join(directory, WAREHOUSE_FILE), {
    spillTo: join(directory, 'spill'),
    isReadOnly: true,
    threads: 1,
    timeZone,
  })(async ({ connection }) => {
    if (upTo !== undefined) await connection.run(filteredEventViewsSql({ position: upTo, at: null }, 'VIEW'));
    const found: (readonly Row[])[] = [];
    for (const statement of statements) found.push((await connection.runAndReadAll(statement)).getRowObjectsJson());
    return found;
  });
