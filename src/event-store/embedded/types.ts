import { setImmediate } from 'node:timers/promises';
import { openReader } from '../../sqlite/connections.ts';
import type { Position } from '../port.ts';
import { countOf, createTypeCounts, type IsCounted, type TypeCount } from '../type-counts.ts';
import { createRows } from './rows.ts';
import { fromPosition } from './schema.ts';

/** Events counted in one turn of the event loop. */
const BATCH_SIZE = 2_000;

/** Counts as `CountedLog` does; the service may be running on the file. @throws LogDamaged */
export const readEmbeddedTypes = async (
  file: string,
  upTo: Position,
  signal?: AbortSignal,
  isCounted: IsCounted = () => true,
): Promise<TypeCount[]> => {
  const reader = openReader(file);
  try {
    const rows = createRows(reader, file);
    const counts = createTypeCounts();
    const end = fromPosition(upTo);
    for (let after = 0; after < end; after += BATCH_SIZE) {
      for (const event of rows.range(after, Math.min(after + BATCH_SIZE, end)))
        if (isCounted(event)) counts.add(countOf(event));
      await setImmediate();
      signal?.throwIfAborted();
    }
    return counts.all();
  } finally {
    reader.close();
  }
};
