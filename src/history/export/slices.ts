import { fromPosition, toPosition } from '../../event-store/embedded/schema.ts';
import type { LogRange } from '../moment/moment.ts';

/** Events that are encoded at a time. */
export const A_SLICE = 250;

export interface Slice extends LogRange {
  readonly events: number;
}

/**
 * The ranges that threads encode in turn, of the event log in a file, whose positions have no gaps. None goes beyond
 * the end of a part of the export. Where an operator has deleted rows, a part has some more events than usual.
 */
export function* slicesOf({ after, upTo }: LogRange, partEvents: number): Generator<Slice> {
  const end = fromPosition(upTo);
  let [at, left] = [fromPosition(after), partEvents];
  while (at < end) {
    const next = Math.min(at + A_SLICE, at + left, end);
    yield { after: toPosition(at), upTo: toPosition(next), events: next - at };
    left -= next - at;
    if (left === 0) left = partEvents;
    at = next;
  }
}
