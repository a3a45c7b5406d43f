import type { Position, RecordedEvent } from './port.ts';

/** A piece of an event log as it is read around damage, in the event log's order. */
export type EventsOrLoss =
  | { readonly kind: 'events'; readonly events: readonly RecordedEvent[] }
  /** Positions that hold no event, where the store leaves no gaps. */
  | {
      readonly kind: 'missing';
      readonly first: Position;
      readonly last: Position;
      /** Those of the events that are lost, as far as known. */
      readonly streams: readonly string[];
    }
  /** Positions that cannot be read; `last` is undefined where they are the last ones, and it is not known how many. */
  | {
      readonly kind: 'unreadable';
      readonly first: Position;
      readonly last: Position | undefined;
      readonly why: string;
      readonly streams: readonly string[];
    }
  | RecordedLoss;

/** Positions that a salvaged log notes as lost. */
export interface RecordedLoss {
  readonly kind: 'noted';
  readonly first: Position;
  readonly last: Position;
  /** What was said of them when they were found lost. */
  readonly what: string;
}

/** What is lost of an event log. */
type LostPart = Exclude<EventsOrLoss, { readonly kind: 'events' }>;

const MAX_STREAMS = 10;

/** The streams of events that are lost; of many, the first. */
export const streamsText = (streams: readonly string[]): string => {
  if (streams.length === 0) return '';
  const more = streams.length > MAX_STREAMS ? ` and ${streams.length - MAX_STREAMS} more` : '';
  return `; of ${streams.slice(0, MAX_STREAMS).join(', ')}${more}`;
};

const whatOf = (part: LostPart): string => {
  switch (part.kind) {
    case 'missing':
      return `there is no event${streamsText(part.streams)}`;
    case 'unreadable':
      return `they cannot be read: ${part.why}${streamsText(part.streams)}`;
    case 'noted':
      return `noted as lost: ${part.what}`;
  }
};

/** What is lost, in words: which positions, and why. */
export const describeLostPart = (part: LostPart): { readonly where: string; readonly what: string } => ({
  where: part.last === undefined ? `positions from ${part.first} on` : `positions ${part.first} to ${part.last}`,
  what: whatOf(part),
});
