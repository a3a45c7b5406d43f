import { setImmediate } from 'node:timers/promises';
import type { LogRange } from '../moment/moment.ts';
import type { ShownLog } from '../find/shown-log.ts';
import type { Encoded } from './encoded.ts';
import type { ExportWriter } from './writer.ts';

/** Events in a part. */
export const A_PART = 100_000;

export interface PartOptions {
  readonly signal: AbortSignal;
  /** Resolves when so many more events may be read. */
  readonly throttle: (events: number) => Promise<void>;
  /** Told how many more events of the event log are read. */
  readonly onRead: (events: number) => void;
  readonly partEvents: number;
}

/**
 * Appends a part of an export: events that are read next, as many as a part has, or all. Gives it without its files,
 * and as a mark the id of the record at its end.
 *
 * @param range where `runs` go on and end
 */
export const appendPart = async <Content>(
  runs: AsyncIterator<Encoded<Content>, void, undefined>,
  writer: ExportWriter<Content>,
  { after, upTo: end }: LogRange,
  source: Pick<ShownLog, 'idAt'>,
  { signal, throttle, onRead, partEvents }: PartOptions,
) => {
  let [events, unreadable] = [0, 0];
  let last: Encoded<Content>['last'];
  while (events < partEvents) {
    const { value: some } = await runs.next();
    signal.throwIfAborted();
    if (!some) break;
    await writer.append(some.content);
    last = some.last ?? last;
    events += some.events;
    unreadable += some.unreadable;
    onRead(some.read);
    await throttle(some.read);
    // A file is read without a pause, in which a signal would be heard.
    await setImmediate();
  }
  signal.throwIfAborted();
  const upTo = last && events >= partEvents ? last.position : end;
  const mark = last?.position === upTo ? last.id : await source.idAt(upTo, last?.position ?? after);
  return { part: { after, upTo, events, unreadable }, mark };
};
