import { setImmediate } from 'node:timers/promises';
import type { EventLog, Position } from '../../event-store/port.ts';
import { foundEvent } from '../find/event.ts';
import type { Mask } from '../moment/mask.ts';
import type { ExportedPart } from './manifest.ts';
import type { ExportWriter } from './writer.ts';

/** Events of the log in a part, and those that are read at a time. */
const A_PART = 100_000;
const A_READ = 1_000;

export interface PartOptions {
  readonly signal: AbortSignal;
  /** Resolves when so many more events may be read. */
  readonly throttle: (events: number) => Promise<void>;
  readonly onRead: (events: number) => void;
  /** Events of the log in a part. */
  readonly partEvents?: number | undefined;
}

interface PartForm {
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
  readonly mask: Mask;
}

/** Writes the events of the log after a position: as many as a part has, or up to a goal that comes before. */
export const exportPart = async (
  log: Pick<EventLog, 'readAll' | 'recordAt'>,
  writer: ExportWriter,
  after: Position,
  goal: Position,
  { signal, throttle, onRead, partEvents = A_PART, types, mask }: PartOptions & PartForm,
): Promise<ExportedPart & { readonly mark: string | null }> => {
  const wanted = types && new Set(types);
  let [upTo, read, events, unreadable]: [Position, number, number, number] = [after, 0, 0, 0];
  let mark: string | null = null;
  while (read < partEvents && upTo < goal) {
    signal.throwIfAborted();
    const found = await log.readAll(upTo, Math.min(A_READ, partEvents - read));
    const some = found.filter(({ position }) => position <= goal);
    const last = some.at(-1);
    if (!last) {
      // Another service's events stand between there and the goal.
      upTo = goal;
      mark = (await log.recordAt(goal))?.id ?? null;
      break;
    }
    const chosen = some.filter(({ type }) => wanted?.has(type) ?? true);
    const shown = chosen.map((event) => foundEvent(event, mask));
    await writer.append(shown, chosen);
    upTo = last.position;
    mark = last.id;
    read += some.length;
    events += shown.length;
    unreadable += shown.filter((event) => event.unreadable !== undefined).length;
    onRead(some.length);
    await throttle(some.length);
    // A file is read without a pause, in which a signal would be heard.
    await setImmediate();
  }
  signal.throwIfAborted();
  return { after, upTo, mark, events, unreadable, files: [...(await writer.endPart())] };
};
