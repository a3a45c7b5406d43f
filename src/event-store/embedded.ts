import { openReader } from '../sqlite/connections.ts';
import { openWorker } from '../sqlite/worker-channel.ts';
import { openEventReader } from './embedded-reader.ts';
import type { WriterData } from './embedded-writer.ts';
import type { Append, AppendResult, EventStore } from './port.ts';

/**
 * The event store in one SQLite file. A worker thread writes; this thread reads.
 *
 * @param file path of `events.db`; made when missing
 */
export const openEmbeddedEventStore = async (file: string): Promise<EventStore> => {
  const writer = await openWorker<Append, AppendResult>(new URL('./embedded-writer.js', import.meta.url), {
    file,
  } satisfies WriterData);
  const { advance, ...reader } = openEventReader(file);
  return {
    ...reader,
    async append(append) {
      const result = await writer.ask(append);
      if (result.kind === 'appended' && append.events.length > 0) advance(result.position);
      return result;
    },
    async close() {
      await reader.close();
      await writer.close();
    },
  };
};

/** The last position of a log, as a number, read beside whoever runs the service; 0 for an empty one. */
export const readEmbeddedHead = (file: string): number => {
  const reader = openReader(file);
  try {
    const [position] = reader
      .prepare('SELECT coalesce(max(position), 0) FROM events')
      .raw()
      .get([]) as readonly [number];
    return position;
  } finally {
    reader.close();
  }
};
