import type { FoundEvent } from '../find/event.ts';
import type { LogRange } from '../moment/moment.ts';
import type { EventsRead, ShownLog } from '../find/shown-log.ts';

/** What a run of events adds to one of the files of an export. */
export interface FileRows {
  /** Of a format with a file for each type of events the type; else the file's name. */
  readonly target: string;
  readonly rows: number;
  readonly text: string;
}

/** A run of consecutive events, as a format writes them. */
export interface Encoded<Content> {
  /** How many events of the event log were read for them. */
  readonly read: number;
  readonly events: number;
  /** Events that this code cannot read, among them. */
  readonly unreadable: number;
  /** Undefined for no events. */
  readonly last: Pick<FoundEvent, 'position' | 'id'> | undefined;
  readonly content: Content;
}

export type Encode<Content> = (events: readonly FoundEvent[]) => Content;

/**
 * The events of a part of the event log, encoded, in its order. No run of them goes beyond the end of a part of the
 * export, which has `partEvents` events. Once the signal is aborted they end early or throw its reason: call
 * `throwIfAborted` after the last.
 */
export type ReadEncoded<Content> = (
  range: LogRange,
  partEvents: number,
  signal: AbortSignal,
) => AsyncGenerator<Encoded<Content>, void, undefined>;

export const encoded = <Content>({ events, read }: EventsRead, encode: Encode<Content>): Encoded<Content> => {
  const { position, id } = events.at(-1) ?? {};
  return {
    read,
    events: events.length,
    unreadable: events.filter(({ unreadable }) => unreadable !== undefined).length,
    last: position !== undefined && id !== undefined ? { position, id } : undefined,
    content: encode(events),
  };
};

/** Encodes on the calling thread. @param types all when left out */
export const encodedHere = <Content>(
  source: ShownLog,
  types: readonly string[] | undefined,
  encode: Encode<Content>,
): ReadEncoded<Content> =>
  async function* (range, partEvents, signal) {
    let [begin, left] = [range.after, 0];
    while (left === 0) {
      left = partEvents;
      for await (const some of source.read({ ...range, after: begin }, types, left, signal)) {
        left -= some.events.length;
        begin = some.events.at(-1)?.position ?? begin;
        yield encoded(some, encode);
      }
    }
  };

export const fileRows = (target: string, lines: readonly string[]): FileRows => ({
  target,
  rows: lines.length,
  text: lines.join(''),
});
