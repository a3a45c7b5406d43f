import { StoreUnavailableError } from '../errors/store-unavailable.ts';
import type { ReadModelsReader } from '../read-models/embedded/reader.ts';
import type { ReadModels } from '../read-models/port.ts';
import { createOutageMonitor, type OutageMonitorOptions } from './outage-monitor.ts';

/** Watches reads of read models. While they fail it asks for the checkpoints, until these are read. */
export const createReadOutageMonitor = (
  reader: ReadModelsReader,
  options: Pick<OutageMonitorOptions<StoreUnavailableError>, 'onChange' | 'everyMs'>,
) => {
  const outage = createOutageMonitor({ ...options, probe: () => reader.checkpoints() });
  /** A read may throw before it gives a promise, as that of a file does. */
  const observed = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      const found = await read();
      outage.worked();
      return found;
    } catch (error) {
      if (error instanceof StoreUnavailableError) outage.failed(error);
      throw error;
    }
  };
  const watched = (reads: ReadModels): ReadModels => ({
    get: (collection, id) => observed(() => reads.get(collection, id)),
    find: (collection, find) => observed(() => reads.find(collection, find)),
    count: (collection, filter) => observed(() => reads.count(collection, filter)),
  });
  const { track } = reader;
  return {
    /** The same reader, whose reads are watched. */
    reader: {
      ...reader,
      ...watched(reader),
      ...(track && {
        track() {
          const { readModels, validities } = track();
          return { readModels: watched(readModels), validities };
        },
      }),
    } satisfies ReadModelsReader,
    /** Why the read models cannot be read, in words for any client; undefined once a read was answered again. */
    reason: outage.reason,
    stop: outage.stop,
  };
};
export type ReadOutageMonitor = ReturnType<typeof createReadOutageMonitor>;
