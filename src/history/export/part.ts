import { setImmediate } from 'node:timers/promises';
import type { FoundEvent } from '../find/event.ts';
import type { LogRange } from '../find/search.ts';
import type { ExportedPart } from './manifest.ts';
import type { ShownLog } from '../find/shown-log.ts';
import type { ExportWriter } from './writer.ts';

/** Events in a part. */
const A_PART = 100_000;

export interface PartOptions {
  readonly signal: AbortSignal;
  /** Resolves when so many more events may be read. */
  readonly throttle: (events: number) => Promise<void>;
  /** Told how many more events of the event log are read. */
  readonly onRead: (events: number) => void;
  /** Events in a part. */
  readonly partEvents?: number | undefined;
}

/** Writes the first events of a part of the event log: as many as a part of an export has, or all. @param types all when left out */
export const exportPart = async (
  source: ShownLog,
  writer: ExportWriter,
  range: LogRange,
  types: readonly string[] | undefined,
  { signal, throttle, onRead, partEvents = A_PART }: PartOptions,
): Promise<ExportedPart & { readonly mark: string | null }> => {
  let [events, unreadable] = [0, 0];
  let last: FoundEvent | undefined;
  for await (const { events: some, read } of source.read(range, types, partEvents, signal)) {
    signal.throwIfAborted();
    await writer.append(some);
    last = some.at(-1) ?? last;
    events += some.length;
    unreadable += some.filter((event) => event.unreadable !== undefined).length;
    onRead(read);
    await throttle(read);
    // A file is read without a pause, in which a signal would be heard.
    await setImmediate();
  }
  signal.throwIfAborted();
  const { after } = range;
  const upTo = last && events === partEvents ? last.position : range.upTo;
  const mark = last?.position === upTo ? last.id : await source.idAt(upTo, last?.position ?? after);
  return { after, upTo, mark, events, unreadable, files: [...(await writer.endPart())] };
};
