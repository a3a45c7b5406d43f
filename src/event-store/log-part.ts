import type { Position, RecordedEvent } from './port.ts';

/** What is lost of an event log. */
export type LostPart = Exclude<LogPart, { readonly kind: 'events' }>;

/** A piece of an event log as it is read around damage, in the event log's order. */
export type LogPart =
  | { readonly kind: 'events'; readonly events: readonly RecordedEvent[] }
  /** Positions that hold no event, where the store leaves no gaps. */
  | {
      readonly kind: 'missing';
      readonly first: Position;
      readonly last: Position;
      /** Those of the events that are lost, as far as known. */
      readonly streams: readonly string[];
    }
  /** Positions that cannot be read; `last` is undefined where nothing after them can be read either. */
  | {
      readonly kind: 'unreadable';
      readonly first: Position;
      readonly last: Position | undefined;
      readonly why: string;
      readonly streams: readonly string[];
    };
