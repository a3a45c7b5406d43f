import type { Position, RecordedEvent } from './port.ts';

/** A piece of an event log as it is read around damage, in the event log's order. */
export type LogPart =
  | { readonly kind: 'events'; readonly events: readonly RecordedEvent[] }
  /** Positions that hold no event, where the store leaves no gaps. */
  | { readonly kind: 'missing'; readonly first: Position; readonly last: Position }
  /** Positions that cannot be read; `last` is undefined where nothing after them can be read either. */
  | {
      readonly kind: 'unreadable';
      readonly first: Position;
      readonly last: Position | undefined;
      readonly why: string;
    };
